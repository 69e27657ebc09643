/** Pending approvals of this conversation, pinned above the composer and always visible. */
import type { Interrupt } from "@capstan/core/internal";
import { useState } from "react";
import { currentRun } from "../../conversation/conversation.ts";
import type { ConversationView, Entry } from "../../conversation/entries.ts";
import { parsed } from "../../conversation/tool-result.ts";
import { Button } from "../../kit/button.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { count } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";
import { ApprovalCard } from "./approval-card.tsx";

interface Pending {
  readonly interrupt: Interrupt;
  readonly tool: string;
  readonly given: unknown;
}

/** Pending questions, oldest first. A stopped run has none. */
export function pendingIn(view: ConversationView): Pending[] {
  return currentRun(view)?.status === "waiting" ? view.entries.flatMap(pendingOf) : [];
}

function pendingOf(entry: Entry): Pending[] {
  if (entry.kind === "question") {
    const { interrupt } = entry;
    return [{ interrupt, tool: interrupt.reason, given: interrupt.metadata?.arguments }];
  }
  if (entry.kind !== "tool" || !entry.interrupt || entry.result) return [];
  return [{ interrupt: entry.interrupt, tool: entry.name, given: parsed(entry.argumentsText || "{}") }];
}

interface PendingApprovalsProps {
  view: ConversationView;
  /** An answer is on its way: what it leads to will be at the end of the conversation. */
  onAnswering: () => void;
}

export function PendingApprovals({ view, onAnswering }: PendingApprovalsProps) {
  const [answered, setAnswered] = useState<ReadonlySet<string>>(new Set());
  const pending = pendingIn(view).filter(({ interrupt }) => !answered.has(interrupt.id));
  const approveAll = useChange(async () => {
    onAnswering();
    for (const { interrupt } of pending) {
      const answer = await api.approvals.answer(interrupt.id, { decision: "approve" });
      if (!answer.ok) return answer;
    }
    return { ok: true, value: undefined };
  }, ["approvals", "status"]);
  const [first] = pending;
  if (!first) return null;
  return (
    <div className="mx-auto mb-2 flex max-h-[50dvh] w-full max-w-3xl shrink-0 flex-col gap-2 overflow-y-auto px-3 md:px-6">
      <ApprovalCard
        key={first.interrupt.id}
        {...first}
        onAnswering={onAnswering}
        onAnswered={() => setAnswered(new Set([...answered, first.interrupt.id]))}
      />
      {pending.length > 1 && (
        <p className="flex flex-wrap items-center gap-3 text-xs text-ink-soft">
          {count(pending.length - 1, "more approval")} waiting
          <Button
            size="sm"
            busy={approveAll.isPending}
            doing="Approving…"
            onClick={() => approveAll.mutate(undefined)}
          >
            Approve all {pending.length}
          </Button>
        </p>
      )}
      <ChangeFailure error={approveAll.error} />
    </div>
  );
}
