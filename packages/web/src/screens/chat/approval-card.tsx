/** A question to a person, where the call that waits for it stands: yes, yes with other arguments, no with a word. */
import type { ApprovalAnswer } from "@capstan/client";
import type { Interrupt } from "@capstan/core/internal";
import Hand from "lucide-react/icons/hand";
import { useState } from "react";
import { isObject, type Json } from "../../forms/schema-fields.ts";
import { Code } from "../../kit/badge.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { ago } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";
import { AnswerForm } from "../approvals/answer-form.tsx";
import { useRoom } from "./room-context.ts";

interface ApprovalCardProps {
  interrupt: Interrupt;
  tool: string;
  given: unknown;
}

export function ApprovalCard({ interrupt, tool, given }: ApprovalCardProps) {
  const { abilities } = useRoom();
  const [answered, setAnswered] = useState<ApprovalAnswer["decision"]>();
  const answer = useChange(
    (body: ApprovalAnswer) => api.approvals.answer(interrupt.id, body),
    ["approvals", "status"],
  );
  const send = (body: ApprovalAnswer) => answer.mutate(body, { onSuccess: () => setAnswered(body.decision) });
  const input = interrupt.metadata?.arguments ?? given;
  return (
    <section
      aria-label={`Approve ${tool}`}
      className="flex flex-col gap-3 rounded-xl border border-warn bg-warn-soft p-4"
    >
      <p className="flex items-start gap-2 text-warn">
        <Hand className="mt-0.5 size-4 shrink-0" aria-hidden />
        <span>
          <strong className="font-semibold">
            May it run <Code>{tool}</Code>?
          </strong>{" "}
          {interrupt.message}
          {interrupt.expiresAt && ` Expires ${ago(interrupt.expiresAt)}.`}
        </span>
      </p>
      {answered ? (
        <p role="status" className="text-sm text-ink-soft">
          {answered === "approve" ? "Approved. It goes on." : "Denied. The agent is told."}
        </p>
      ) : (
        <AnswerForm
          name={tool}
          input={isObject(input) ? input : {}}
          schema={editSchema(interrupt)}
          mayEdit={abilities.approveWithEdits}
          busy={answer.isPending}
          onAnswer={send}
        />
      )}
      <ChangeFailure error={answer.error} />
    </section>
  );
}

/** The shape of the arguments, as the interrupt tells it. */
function editSchema({ responseSchema }: Interrupt): Json | undefined {
  const properties = responseSchema?.properties;
  const schema = isObject(properties) ? properties.editedArgs : undefined;
  return isObject(schema) ? schema : undefined;
}
