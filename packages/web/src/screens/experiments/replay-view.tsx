/** One replay: what was changed, and each run with its verdict; runs that differ come first. */
import type { ReplayComparison, ReplayReport } from "@capstan/client";
import { Link } from "wouter";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { Panel } from "../../kit/panel.tsx";
import { Loaded } from "../../kit/states.tsx";
import { amount, count, usd } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useRead } from "../../server/queries.ts";
import { VerdictCounts } from "./replay-list.tsx";
import { changeText } from "./replay-text.ts";

const MOST_SHOWN = 1000;
const POLL_MS = 2_000;
const ORDER = ["diverged", "changed", "same"];
export const VERDICT_TONES: Record<string, Tone> = { same: "good", changed: "warn", diverged: "bad" };

export function ReplayView({ id }: { id: string }) {
  const query = useRead(["replays", id], (signal) => api.replays.get(id, { limit: MOST_SHOWN }, signal), {
    everyMs: POLL_MS,
  });
  return (
    <div className="flex flex-col gap-4">
      <Link href="/experiments/replays" className="self-start text-sm text-accent-ink underline">
        All replays
      </Link>
      <Loaded query={query} what="Replays" rows={6}>
        {(report) => <Report report={report} />}
      </Loaded>
    </div>
  );
}

function Report({ report }: { report: ReplayReport }) {
  const { id, progress, comparisons, tokens, cost_usd, next_cursor } = report;
  const rank = ({ verdict }: ReplayComparison) => (verdict === null ? -1 : ORDER.indexOf(verdict));
  return (
    <Panel title={changeText(report)} actions={<VerdictCounts replay={report} />} flush>
      <p className="border-b border-line px-4 py-2 text-sm text-ink-soft">
        {count(progress.total, "run")}, {amount(tokens)} tokens, {usd(cost_usd)}
        {next_cursor !== undefined && `; the first ${MOST_SHOWN} are shown`}
      </p>
      <ul className="flex flex-col divide-y divide-line">
        {comparisons
          .toSorted((a, b) => rank(a) - rank(b))
          .map((each) => (
            <li key={each.run_id}>
              <RunRow id={id} comparison={each} />
            </li>
          ))}
      </ul>
    </Panel>
  );
}

function RunRow({ id, comparison }: { id: string; comparison: ReplayComparison }) {
  const { run_id, status, verdict, answer, calls, gate, diverged, failure, not_as_recorded } = comparison;
  const different = calls.filter(({ change }) => change !== "same").length;
  return (
    <div className="flex flex-col gap-1 px-4 py-3 text-sm">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={VERDICT_TONES[verdict ?? ""] ?? "plain"}>{verdict ?? status}</Badge>
        <Link
          href={`/experiments/replays/${id}/${run_id}`}
          className="min-w-0 break-words text-accent-ink hover:underline"
        >
          {answer?.before.split("\n")[0]?.slice(0, 120) || "Run without an answer"}
        </Link>
        {different > 0 && <Badge tone="warn">{count(different, "other call")}</Badge>}
        {gate.length > 0 && <Badge tone="warn">{count(gate.length, "gate difference")}</Badge>}
        {not_as_recorded.length > 0 && <Badge tone="warn">not as recorded</Badge>}
      </p>
      {(failure || diverged) && (
        <p className="break-words text-ink-soft">
          {failure ? failure.message : `Ended at ${diverged?.tool}: ${diverged?.why}`}
        </p>
      )}
    </div>
  );
}
