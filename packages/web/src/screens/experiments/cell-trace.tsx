/** One cell: what the variant was asked, said and called, how it scored and why, and the recorded run it came from. */
import type { ExperimentCell, ExperimentTrace } from "@capstan/client";
import { Link } from "wouter";
import { MessageList } from "../../forms/message-list.tsx";
import { ArgumentList, OrJson } from "../../forms/message-parts.tsx";
import { Badge, Code, type Tone } from "../../kit/badge.tsx";
import { LinkButton } from "../../kit/button.tsx";
import { Fact } from "../../kit/fact.tsx";
import { Panel } from "../../kit/panel.tsx";
import { FailureNote, Loaded } from "../../kit/states.tsx";
import { amount, duration, usd, words } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useRead } from "../../server/queries.ts";
import { useExperiment } from "./experiment-view.tsx";
import { numbered } from "./numbered.ts";
import { scoreText } from "./score-text.ts";

export function CellTrace({ id, cellId }: { id: string; cellId: string }) {
  const query = useRead(["experiments", id, "cell", cellId], (signal) =>
    api.experiments.cell(id, cellId, signal),
  );
  const variants = useExperiment(id).data?.variants;
  return (
    <div className="flex flex-col gap-4">
      <Link href={`/experiments/results/${id}`} className="self-start text-sm text-accent-ink underline">
        Back to the experiment
      </Link>
      <Loaded query={query} what="Traces" rows={6}>
        {(trace) => <Trace trace={trace} variant={variants?.[trace.variant]?.name ?? ""} />}
      </Loaded>
    </div>
  );
}

function Trace({ trace, variant }: { trace: ExperimentTrace; variant: string }) {
  const { item, scores, messages, calls, gate, failure, diverged } = trace;
  return (
    <article aria-label={`Trace of ${item.id}`} className="flex flex-col gap-4">
      <Panel title={`${item.id} with ${variant}`} actions={<RecordedRun runId={trace.run_id} />}>
        <div className="flex flex-col gap-3">
          {failure && <FailureNote failure={{ ...failure, status: 500 }} />}
          {diverged && (
            <p className="text-sm break-words text-warn">
              Diverged at {diverged.tool}: {diverged.why}
            </p>
          )}
          <CaseFacts cell={trace} />
        </div>
      </Panel>
      <Panel title="Scores" flush>
        <ul className="flex flex-col divide-y divide-line">
          {scores.map((score) => (
            <ScoreRow key={score.scorer} score={score} />
          ))}
        </ul>
      </Panel>
      {calls.length > 0 && <Calls calls={calls} />}
      {gate.length > 0 && (
        <Panel title="Different gate decisions">
          <ul className="flex flex-col gap-1 text-sm">
            {numbered(gate).map(({ at, item: { tool, before, after, why } }) => (
              <li key={at} className="break-words">
                <Code>{tool}</Code> {before ?? "not called"} → {after}: {why}
              </li>
            ))}
          </ul>
        </Panel>
      )}
      <Panel title="Messages">
        <MessageList messages={messages} label="Messages" />
      </Panel>
    </article>
  );
}

/** Of a run, if the item came from one that is still there. */
function RecordedRun({ runId }: { runId: string | null }) {
  const run = useRead(["runs", runId], (signal) => api.runs.get(runId ?? "", signal), {
    enabled: runId !== null,
  });
  return run.data ? (
    <LinkButton size="sm" href={`/sessions/${run.data.session_id}/trace`}>
      Recorded session
    </LinkButton>
  ) : null;
}

/** What was asked, expected and answered. */
export function CaseFacts({ cell }: { cell: ExperimentCell & Pick<ExperimentTrace, "item"> }) {
  const { item, answer, outcome, verdict, tokens, cost_usd, model_ms } = cell;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2 text-sm">
      <Fact name="Asked">
        <p className="break-words whitespace-pre-wrap">{item.input}</p>
      </Fact>
      {item.expected !== undefined && (
        <Fact name="Expected">
          <p className="break-words whitespace-pre-wrap">
            {typeof item.expected === "string" ? item.expected : JSON.stringify(item.expected)}
          </p>
        </Fact>
      )}
      <Fact name="Answer">
        <p className="break-words whitespace-pre-wrap">{answer ?? "none"}</p>
      </Fact>
      <Fact name="Ended">
        {outcome ?? cell.status}
        {item.recorded && verdict && `, ${verdict} compared with the recording`}; {amount(tokens)} tokens,{" "}
        {usd(cost_usd)}, {duration(model_ms)}
      </Fact>
    </dl>
  );
}

const toneOf = (passed: boolean | null): Tone => (passed === null ? "plain" : passed ? "good" : "bad");

function ScoreRow({ score: { scorer, score, passed, why, error, reviews } }: { score: Score }) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-sm">
      <span className="font-medium">{scorer}</span>
      <Badge tone={toneOf(passed)}>{score === null ? "no score" : scoreText(score)}</Badge>
      {(error ?? why) && <span className="min-w-0 break-words text-ink-soft">{error ?? why}</span>}
      {reviews.map((review) => (
        <span key={review.by} className="text-xs break-words text-ink-soft">
          {review.by}: {scoreText(review.score)} {review.note}
        </span>
      ))}
    </li>
  );
}
type Score = ExperimentCell["scores"][number];

function Calls({ calls }: Pick<ExperimentTrace, "calls">) {
  return (
    <Panel title="Calls compared with the recording" flush>
      <ol className="flex flex-col divide-y divide-line">
        {numbered(calls).map(({ at, item: { change, tool, before, after, source } }) => (
          <li key={at} className="flex flex-col gap-1 px-4 py-2 text-sm">
            <p className="flex flex-wrap items-center gap-2">
              <Badge tone={change === "same" ? "plain" : "warn"}>{words(change)}</Badge>
              <Code>{tool}</Code>
              {source && (
                <span className="text-xs text-ink-faint">result: {words(source).toLowerCase()}</span>
              )}
            </p>
            <OrJson value={after ?? before} label={`Call ${at + 1}`}>
              <ArgumentList input={after ?? before} label={`Arguments of ${tool}`} />
            </OrJson>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
