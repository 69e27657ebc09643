import type { Experiment } from "@capstan/client";
import FlaskConical from "lucide-react/icons/flask-conical";
import { Link } from "wouter";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { LinkButton } from "../../kit/button.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { usePages } from "../../kit/use-pages.tsx";
import { ago, count, dateTime, usd } from "../../kit/words.ts";
import { api } from "../../server/api.ts";

const POLL_MS = 5_000;
const TONES: Record<Experiment["status"], Tone> = { running: "accent", done: "good", cancelled: "warn" };

export const titleOf = ({ name, dataset_name }: Experiment): string => name || dataset_name;

/** The newest first. */
export function ExperimentList() {
  const { query, more } = usePages(
    ["experiments", "list"],
    (page, signal) => api.experiments.list(page, signal),
    POLL_MS,
  );
  return (
    <Loaded query={query} what="Experiments" rows={4}>
      {(items) =>
        items.length === 0 ? (
          <Empty
            icon={FlaskConical}
            title="No experiments"
            action={<LinkButton href="/experiments/datasets">Choose a dataset</LinkButton>}
          >
            An experiment asks an agent every question of a dataset and scores its answers, also for two
            revisions side by side. It starts at a dataset.
          </Empty>
        ) : (
          <div className="flex flex-col gap-4">
            <ul className="flex flex-col divide-y divide-line rounded-xl border border-line bg-surface">
              {items.map((each) => (
                <li key={each.id}>
                  <Row experiment={each} />
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

function Row({ experiment }: { experiment: Experiment }) {
  const { id, created_at, created_by, variants } = experiment;
  return (
    <article aria-label={titleOf(experiment)} className="flex flex-col gap-1 px-4 py-3">
      <p className="flex flex-wrap items-center gap-2">
        <Link
          href={`/experiments/results/${id}`}
          className="min-w-0 font-medium break-words text-accent-ink hover:underline"
        >
          {titleOf(experiment)}
        </Link>
        <Progress experiment={experiment} />
      </p>
      <p className="text-sm break-words text-ink-soft">{variants.map(({ name }) => name).join(" · ")}</p>
      <p className="text-xs text-ink-faint">
        {factsOf(experiment)}, by {created_by} <span title={dateTime(created_at)}>{ago(created_at)}</span>
      </p>
    </article>
  );
}

export function Progress({ experiment: { status, progress } }: { experiment: Experiment }) {
  const ended = progress.total - progress.queued - progress.running;
  return (
    <>
      <Badge tone={TONES[status]}>{status}</Badge>
      <span className="text-xs text-ink-soft">
        {ended} of {count(progress.total, "cell")}
        {progress.failed > 0 && `, ${progress.failed} failed`}
        {progress.skipped > 0 && `, ${progress.skipped} skipped`}
      </span>
    </>
  );
}

export const factsOf = ({ dataset_name, version, repeats, cost_usd }: Experiment): string =>
  `${dataset_name}, version ${version}, ${count(repeats, "repeat")}, ${usd(cost_usd)}`;
