/** At a fork of the conversation: which branch this is, and links to the others. */
import ChevronLeft from "lucide-react/icons/chevron-left";
import ChevronRight from "lucide-react/icons/chevron-right";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { ConversationView } from "../../conversation/entries.ts";
import { cx } from "../../kit/cx.ts";
import { useRoom } from "./room-context.ts";

export function BranchSwitch({ position }: { position: number }) {
  const { sessionId, branchesAt } = useRoom();
  const ways = branchesAt(position);
  const here = ways.indexOf(sessionId);
  if (ways.length < 2 || here < 0) return null;
  return (
    <nav aria-label="Branches" className="numbers flex items-center text-xs text-ink-soft">
      <Step to={ways[here - 1]} label="Previous branch">
        <ChevronLeft className="size-4" aria-hidden />
      </Step>
      <span>
        {here + 1} / {ways.length}
      </span>
      <Step to={ways[here + 1]} label="Next branch">
        <ChevronRight className="size-4" aria-hidden />
      </Step>
    </nav>
  );
}

const STEP = "flex size-6 items-center justify-center rounded-md";

function Step({ to, label, children }: { to: string | undefined; label: string; children: ReactNode }) {
  if (to === undefined)
    return (
      <span className={cx(STEP, "opacity-40")} aria-hidden>
        {children}
      </span>
    );
  return (
    <Link href={`/chat/${to}`} aria-label={label} title={label} className={cx(STEP, "hover:bg-sunken")}>
      {children}
    </Link>
  );
}

/** A branch without messages has its switch at the end. */
export function EndBranches({ view: { entries } }: { view: ConversationView }) {
  const { sessionId, branchesAt } = useRoom();
  const last = entries.findLast((entry) => entry.kind === "user");
  const after = last?.kind === "user" && last.message ? last.message.position + 1 : 0;
  const position = firstPointFrom(after, branchesAt);
  if (position === undefined || !branchesAt(position).includes(sessionId)) return null;
  return (
    <div className="flex items-center gap-2 pb-2 text-xs text-ink-soft">
      <BranchSwitch position={position} />
      This conversation continues in another branch.
    </div>
  );
}

const LONGEST_TURN = 500; // messages of one answer: more steps than a run may take

function firstPointFrom(
  after: number,
  branchesAt: (position: number) => readonly string[],
): number | undefined {
  for (let position = after; position < after + LONGEST_TURN; position += 1)
    if (branchesAt(position).length > 1) return position;
  return undefined;
}
