/** Questions that are not tool calls: exceeding a budget, and an answer held by a check. */
import type { Approval, ApprovalAnswer } from "@capstan/client";
import { amountText } from "@capstan/core/internal";
import { useState } from "react";
import { Button } from "../../kit/button.tsx";
import { Field, TextArea, TextInput } from "../../kit/field.tsx";

interface QuestionProps {
  approval: Approval;
  busy: boolean;
  onAnswer: (answer: ApprovalAnswer) => void;
}

const fieldOf = ({ input }: Approval, name: string): unknown => Object(input)[name];

const MEASURES = ["cost_usd", "tokens", "calls"] as const;

/** What an admin allows above the limit, until the period ends. */
export function MoreOfBudget({ approval, busy, onAnswer }: QuestionProps) {
  const [more, setMore] = useState(String(fieldOf(approval, "more") ?? ""));
  const measure = MEASURES.find((each) => each === fieldOf(approval, "measure")) ?? "calls";
  const amount = (name: string) => amountText(measure, Number(fieldOf(approval, name) ?? 0));
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer({ decision: "approve", edited_args: { more: Number(more) } });
      }}
    >
      <p className="text-sm text-ink-soft">
        {amount("spent")} of {amount("limit")} spent. Without an answer, the run continues in the next period.
      </p>
      <Field label="How much more, in this period">
        {(control) => (
          <TextInput
            {...control}
            type="number"
            step="any"
            min={0}
            value={more}
            onChange={({ target }) => setMore(target.value)}
          />
        )}
      </Field>
      <Answers yes="Allow more" busy={busy} isComplete={Number(more) > 0} onAnswer={onAnswer} />
    </form>
  );
}

/** The text as the model wrote it, or as a person writes it instead. */
export function HeldText({ approval, busy, onAnswer }: QuestionProps) {
  const said = String(fieldOf(approval, "text") ?? "");
  const [text, setText] = useState(said);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer({ decision: "approve", ...(text !== said && { edited_args: { text } }) });
      }}
    >
      <Field label="What is sent" hint="Not shown to the user yet.">
        {(control) => (
          <TextArea {...control} rows={6} value={text} onChange={({ target }) => setText(target.value)} />
        )}
      </Field>
      <Answers yes="Send" busy={busy} isComplete onAnswer={onAnswer} />
    </form>
  );
}

function Answers({
  yes,
  busy,
  isComplete,
  onAnswer,
}: Pick<QuestionProps, "busy" | "onAnswer"> & { yes: string; isComplete: boolean }) {
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        type="submit"
        look="primary"
        busy={busy}
        doing="Sending…"
        disabled={!isComplete}
        data-answer="approve"
      >
        {yes}
      </Button>
      <Button look="danger" disabled={busy} data-answer="deny" onClick={() => onAnswer({ decision: "deny" })}>
        Deny
      </Button>
    </div>
  );
}
