/** /compare/{session}/{comparison}: the branches of one message beside each other, until one is kept. */
import type { Comparison, ComparisonBranch } from "@capstan/client";
import { Link, useLocation, useParams } from "wouter";
import { DiffView } from "../../files/diff-view.tsx";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Screen } from "../../kit/screen.tsx";
import { ChangeFailure, Loaded } from "../../kit/states.tsx";
import { Markdown } from "../../markdown/markdown.tsx";
import { programText } from "../../programs/program-field.tsx";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";

const POLL_MS = 1000;
const GOES_ON = new Set(["running", "queued"]);

export default function CompareScreen() {
  const { session = "", comparison = "" } = useParams<{ session: string; comparison: string }>();
  const read = useRead(
    ["comparison", session, comparison],
    (signal) => api.sessions.comparison(session, comparison, signal),
    { everyMs: POLL_MS },
  );
  return (
    <Screen title="Side by side">
      <Loaded query={read} what="the comparison">
        {(data) => <Branches comparison={data} />}
      </Loaded>
    </Screen>
  );
}

function Branches({ comparison }: { comparison: Comparison }) {
  const [, go] = useLocation();
  const keep = useChange(
    async (branch: string) => {
      const kept = await api.sessions.keepBranch(comparison.session_id, comparison.id, branch);
      if (kept.ok) go(`/chat/${kept.value.id}`);
      return kept;
    },
    ["sessions"],
  );
  return (
    <>
      <ChangeFailure error={keep.error} />
      <div className="grid gap-4 lg:grid-cols-2 xl:grid-cols-3">
        {comparison.branches.map((branch) => (
          <BranchCard
            key={branch.session_id}
            branch={branch}
            busy={keep.isPending}
            onKeep={() => keep.mutate(branch.session_id)}
          />
        ))}
      </div>
    </>
  );
}

interface BranchCardProps {
  branch: ComparisonBranch;
  busy: boolean;
  onKeep: () => void;
}

function BranchCard({ branch, busy, onKeep }: BranchCardProps) {
  const name = programText(branch.continue_in);
  return (
    <section
      aria-label={name}
      className="flex min-w-0 flex-col gap-3 rounded-xl border border-line bg-surface p-4"
    >
      <header className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-sm font-semibold">{name}</h2>
        <Badge tone={GOES_ON.has(branch.status) ? "accent" : branch.error ? "bad" : "good"}>
          {branch.status}
        </Badge>
      </header>
      <p className="text-xs text-ink-soft">{factsOf(branch)}</p>
      {branch.error ? (
        <p className="text-sm text-bad">{branch.error.message}</p>
      ) : (
        <Markdown text={branch.answer} />
      )}
      {branch.changes.map(({ path, change, diff }) => (
        <DiffView key={path} path={path} change={change} diff={diff} />
      ))}
      <footer className="mt-auto flex items-center justify-between gap-2 pt-2">
        <Link href={`/chat/${branch.session_id}`} className="text-xs text-accent-ink underline">
          Open the branch
        </Link>
        <Button size="sm" look="primary" busy={busy} doing="Keeping…" onClick={onKeep}>
          Keep this one
        </Button>
      </footer>
    </section>
  );
}

function factsOf({
  seconds,
  usage: { cost_usd, input_tokens = 0, output_tokens = 0 },
  changes,
}: ComparisonBranch): string {
  const cost = typeof cost_usd === "number" ? `$${cost_usd.toFixed(4)}` : "cost unknown";
  const files = changes.length === 1 ? "1 file changed" : `${changes.length} files changed`;
  return `${seconds.toFixed(1)} s · ${cost} · ${input_tokens + output_tokens} tokens · ${files}`;
}
