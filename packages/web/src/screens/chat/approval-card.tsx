/** An approval request at the call it belongs to: approve, approve with edited arguments, or deny with a reason. */
import type { ApprovalAnswer } from "@capstan/client";
import type { Interrupt } from "@capstan/core/internal";
import Hand from "lucide-react/icons/hand";
import { isObject, type Json } from "../../forms/schema-fields.ts";
import { ChangeFailure } from "../../kit/states.tsx";
import { ago } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";
import { AnswerForm } from "../approvals/answer-form.tsx";
import { ConnectLink } from "../approvals/connect-link.tsx";
import { useRoom } from "./room-context.ts";

interface ApprovalCardProps {
  interrupt: Interrupt;
  tool: string;
  given: unknown;
  onAnswering: () => void;
  onAnswered: () => void;
}

export function ApprovalCard({ interrupt, tool, given, onAnswering, onAnswered }: ApprovalCardProps) {
  const { abilities } = useRoom();
  const answer = useChange(
    (body: ApprovalAnswer) => api.approvals.answer(interrupt.id, body),
    ["approvals", "status", "sessions"],
  );
  const input = interrupt.metadata?.arguments ?? given;
  const isConnect = interrupt.reason === "connect";
  return (
    <section
      aria-label={`Approve ${tool}`}
      className="flex flex-col gap-3 rounded-xl border border-warn bg-warn-soft p-4"
    >
      <p className="flex items-start gap-2 text-warn">
        <Hand className="mt-0.5 size-4 shrink-0" aria-hidden />
        <span>
          <strong className="font-semibold">{interrupt.message ?? `Allow ${tool}?`}</strong>
          {interrupt.expiresAt && ` Expires ${ago(interrupt.expiresAt)}.`}
        </span>
      </p>
      {isConnect && <ConnectLink id={interrupt.id} />}
      <AnswerForm
        name={tool}
        input={isObject(input) ? input : {}}
        schema={editSchema(interrupt)}
        mayApprove={!isConnect}
        mayEdit={abilities.approveWithEdits && !isConnect}
        mayAllow={interrupt.metadata?.allowable === true}
        busy={answer.isPending}
        onAnswer={(body) => {
          onAnswering();
          answer.mutate(body, { onSuccess: onAnswered });
        }}
      />
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
