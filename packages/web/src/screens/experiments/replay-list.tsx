/** Replays of recorded runs, the newest first: what was changed, and how many runs are the same. */
import type { Replay } from "@capstan/client";
import History from "lucide-react/icons/history";
import { Link } from "wouter";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { LinkButton } from "../../kit/button.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { usePages } from "../../kit/use-pages.tsx";
import { ago, count, dateTime, usd } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { changeText } from "./replay-text.ts";

const POLL_MS = 5_000;
const VERDICTS: readonly (readonly [keyof Replay["verdicts"], Tone])[] = [
  ["same", "good"],
  ["changed", "warn"],
  ["diverged", "bad"],
];

export function ReplayList() {
  const { query, more } = usePages(["replays"], (page, signal) => api.replays.list(page, signal), POLL_MS);
  return (
    <Loaded query={query} what="Replays" rows={4}>
      {(items) =>
        items.length === 0 ? (
          <Empty
            icon={History}
            title="No replays"
            action={<LinkButton href="/sessions">Choose a session</LinkButton>}
          >
            A replay runs a recorded run again without touching anything outside, and shows what came out
            differently. It starts with “Replay” in a session's trace.
          </Empty>
        ) : (
          <div className="flex flex-col gap-4">
            <ul className="flex flex-col divide-y divide-line rounded-xl border border-line bg-surface">
              {items.map((each) => (
                <li key={each.id}>
                  <Row replay={each} />
                </li>
              ))}
            </ul>
            {more}
          </div>
        )
      }
    </Loaded>
  );
}

function Row({ replay }: { replay: Replay }) {
  const { id, progress, created_at, created_by, cost_usd } = replay;
  return (
    <article aria-label={changeText(replay)} className="flex flex-col gap-1 px-4 py-3">
      <p className="flex flex-wrap items-center gap-2">
        <Link
          href={`/experiments/replays/${id}`}
          className="min-w-0 font-medium break-words text-accent-ink hover:underline"
        >
          {changeText(replay)}
        </Link>
        <VerdictCounts replay={replay} />
      </p>
      <p className="text-xs text-ink-faint">
        {count(progress.total, "run")}, {usd(cost_usd)}, by {created_by},{" "}
        <time dateTime={created_at} title={dateTime(created_at)}>
          {ago(created_at)}
        </time>
      </p>
    </article>
  );
}

export function VerdictCounts({ replay: { status, verdicts, progress } }: { replay: Replay }) {
  const unmeasured = progress.failed + progress.skipped + progress.cancelled;
  return (
    <>
      {status === "running" && (
        <Badge tone="accent">
          {progress.done} of {progress.total}
        </Badge>
      )}
      {VERDICTS.map(([verdict, tone]) =>
        verdicts[verdict] === 0 ? null : (
          <Badge key={verdict} tone={tone}>
            {verdicts[verdict]} {verdict}
          </Badge>
        ),
      )}
      {unmeasured > 0 && <Badge tone="bad">{unmeasured} not replayed</Badge>}
    </>
  );
}
