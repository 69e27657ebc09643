import type { ApprovalAnswer } from "@capstan/client";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { CallArguments } from "../../forms/call-arguments.tsx";
import { JsonInput } from "../../forms/json-input.tsx";
import { fieldsOf, filled, isObject, type Json } from "../../forms/schema-fields.ts";
import { SchemaForm } from "../../forms/schema-form.tsx";
import { Button } from "../../kit/button.tsx";
import { TextField } from "../../kit/field.tsx";

interface AnswerFormProps {
  /** Names the card for screen readers. */
  name: string;
  input: Json;
  schema: Json | undefined;
  /** False where approval happens elsewhere, such as by connecting an account. */
  mayApprove?: boolean;
  mayEdit: boolean;
  /** An approval may apply to the rest of the session. */
  mayAllow: boolean;
  busy: boolean;
  onAnswer: (answer: ApprovalAnswer) => void;
  /** An additional button after the others. */
  more?: ReactNode;
}

type Mode = "ask" | "edit" | "deny";

/** Approve, approve with edited arguments, or deny with a reason. */
export function AnswerForm({
  name,
  input,
  schema,
  mayApprove = true,
  mayEdit,
  mayAllow,
  busy,
  onAnswer,
  more,
}: AnswerFormProps) {
  const [mode, setMode] = useState<Mode>("ask");
  if (mode === "edit")
    return (
      <EditForm
        name={name}
        input={input}
        schema={schema}
        busy={busy}
        onAnswer={onAnswer}
        onBack={() => setMode("ask")}
      />
    );
  if (mode === "deny")
    return <DenyForm name={name} busy={busy} onAnswer={onAnswer} onBack={() => setMode("ask")} />;
  return (
    <>
      <CallArguments value={input} label={`Arguments of ${name}`} />
      <Buttons>
        {mayApprove && (
          <Button
            look="primary"
            busy={busy}
            doing="Sending…"
            data-answer="approve"
            aria-label={`Approve ${name}`}
            onClick={() => onAnswer({ decision: "approve" })}
          >
            Approve
          </Button>
        )}
        {mayEdit && (
          <Button
            disabled={busy}
            data-answer="edit"
            aria-label={`Edit arguments of ${name}`}
            onClick={() => setMode("edit")}
          >
            Edit
          </Button>
        )}
        <Button
          look="danger"
          disabled={busy}
          data-answer="deny"
          aria-label={`Deny ${name}`}
          onClick={() => setMode("deny")}
        >
          Deny
        </Button>
        {mayAllow && (
          <Button
            look="quiet"
            disabled={busy}
            data-answer="allow"
            title={`Approve, and do not ask again before ${name} in this session`}
            onClick={() => onAnswer({ decision: "approve", for_session: true })}
          >
            Always allow in this session
          </Button>
        )}
        {more}
      </Buttons>
    </>
  );
}

/** In view however long the arguments are: they stay at the bottom while the card is scrolled. */
const Buttons = ({ children }: { children: ReactNode }) => (
  <div className="sticky bottom-0 z-10 -mx-4 -my-2 flex flex-wrap gap-2 bg-inherit px-4 py-2">{children}</div>
);

interface EditFormProps extends Omit<AnswerFormProps, "mayApprove" | "mayEdit" | "mayAllow" | "more"> {
  onBack: () => void;
}

function EditForm({ name, input, schema, busy, onAnswer, onBack }: EditFormProps) {
  const [value, setValue] = useState<Json>(input);
  const fields = schema && fieldsOf(schema);
  const form = useRef<HTMLFormElement>(null);
  const isTyped = fields !== undefined; // the schema may arrive later, with other fields
  // biome-ignore lint/correctness/useExhaustiveDependencies: what has the focus is replaced then
  useEffect(() => form.current?.querySelector<HTMLElement>("input, select, textarea")?.focus(), [isTyped]);
  return (
    <form
      ref={form}
      className="flex flex-col gap-3 bg-inherit"
      onKeyDown={(event) => {
        if (event.key === "Escape") onBack();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer({ decision: "approve", edited_args: fields ? filled(fields, value) : value });
      }}
    >
      <div className="rounded-lg bg-surface p-3">
        {schema && fields ? (
          <SchemaForm schema={schema} value={value} onChange={setValue} />
        ) : (
          <JsonInput
            label="Arguments"
            value={value}
            onChange={(next) => setValue(isObject(next) ? next : {})}
          />
        )}
      </div>
      <Buttons>
        <Button
          type="submit"
          look="primary"
          busy={busy}
          doing="Sending…"
          aria-label={`Approve with edits: ${name}`}
        >
          Approve with edits
        </Button>
        <Button disabled={busy} onClick={onBack}>
          Back
        </Button>
      </Buttons>
    </form>
  );
}

function DenyForm({
  name,
  busy,
  onAnswer,
  onBack,
}: Pick<EditFormProps, "name" | "busy" | "onAnswer" | "onBack">) {
  const [words, setWords] = useState("");
  return (
    <form
      className="flex flex-col gap-3 bg-inherit"
      onKeyDown={(event) => {
        if (event.key === "Escape") onBack();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer({ decision: "deny", ...(words.trim() !== "" && { words: words.trim() }) });
      }}
    >
      <TextField
        label="Reason (sent to the agent)"
        hint="The agent sees this instead of a result."
        autoFocus
        value={words}
        onChange={setWords}
      />
      <Buttons>
        <Button type="submit" look="danger" busy={busy} doing="Sending…" aria-label={`Deny ${name} now`}>
          Deny
        </Button>
        <Button disabled={busy} onClick={onBack}>
          Back
        </Button>
      </Buttons>
    </form>
  );
}
