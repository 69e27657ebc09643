/** Answers waiting for this person's score, one at a time: j and k move forwards and back, y or 1 and n or 2 answer. */
import type { ExperimentCell, ReviewItem } from "@capstan/client";
import { ok, type Result } from "@capstan/core";
import ClipboardCheck from "lucide-react/icons/clipboard-check";
import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { Button } from "../../kit/button.tsx";
import { Panel } from "../../kit/panel.tsx";
import { ChangeFailure, Empty, Loaded } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";
import { isTyping } from "../../shell/shortcuts.ts";
import { CaseFacts } from "./cell-trace.tsx";
import { scoreText } from "./score-text.ts";

interface Open {
  readonly experiment: string;
  readonly cell: ReviewItem;
  readonly scorer: string;
  readonly question: string;
}

const MOST_EXPERIMENTS = 20; // each has a queue of its own
const MOST_CELLS = 100;

export function ReviewQueue({ id }: { id: string | undefined }) {
  const query = useRead(["experiments", "reviews", id], (signal) => openQuestions(id, signal));
  return (
    <div className="flex flex-col gap-4">
      {id !== undefined && (
        <Link href={`/experiments/results/${id}`} className="self-start text-sm text-accent-ink underline">
          Back to the experiment
        </Link>
      )}
      <Loaded query={query} what="Reviews" rows={4}>
        {(open) => <Questions open={open} />}
      </Loaded>
    </div>
  );
}

/** Of one experiment, or of the newest that ask people. */
async function openQuestions(id: string | undefined, signal: AbortSignal): Promise<Result<Open[]>> {
  const ids = id === undefined ? await thatAsk(signal) : ok([id]);
  if (!ids.ok) return ids;
  const open: Open[] = [];
  for (const experiment of ids.value) {
    const page = await api.experiments.reviews(experiment, { limit: MOST_CELLS }, signal);
    if (!page.ok) return page;
    for (const cell of page.value.items)
      open.push(...cell.questions.map((asked) => ({ experiment, cell, ...asked })));
  }
  return ok(open);
}

async function thatAsk(signal: AbortSignal): Promise<Result<string[]>> {
  const page = await api.experiments.list({ limit: 200 }, signal);
  if (!page.ok) return page;
  const asking = page.value.items.filter(({ scorers }) => scorers.some(({ type }) => type === "human"));
  return ok(asking.slice(0, MOST_EXPERIMENTS).map((each) => each.id));
}

function Questions({ open }: { open: readonly Open[] }) {
  const [wanted, setWanted] = useState(0);
  const at = Math.max(0, Math.min(wanted, open.length - 1));
  const current = open[at];
  const answer = useChange(
    ({ experiment, cell, scorer, score }: Open & { score: number }) =>
      api.experiments.review(experiment, cell.id, { scorer, score }),
    ["experiments"],
  );
  const step = (by: number) => setWanted(Math.max(0, Math.min(at + by, open.length - 1)));
  const say = (score: number) => {
    if (current && !answer.isPending) answer.mutate({ ...current, score });
  };
  useReviewKeys({ step, say });
  return (
    <>
      <ChangeFailure error={answer.error} />
      {answer.data && <Said cell={answer.data} scorer={answer.variables.scorer} />}
      {current ? (
        <Card open={current} place={`${at + 1} of ${open.length}`} busy={answer.isPending} onSay={say} />
      ) : (
        <Empty icon={ClipboardCheck} title="Nothing to review">
          Experiments with a scorer of type human appear here.
        </Empty>
      )}
    </>
  );
}

/** The last answer and who disagrees; shown only afterwards, so that nobody follows others. */
function Said({ cell, scorer }: { cell: ExperimentCell; scorer: string }) {
  const reviews = cell.scores.find((each) => each.scorer === scorer)?.reviews ?? [];
  const differ = new Set(reviews.map(({ score }) => score)).size > 1;
  return (
    <p role="status" className="text-sm break-words text-ink-soft">
      {cell.item_id} is answered.{" "}
      {differ &&
        `People disagree: ${reviews.map(({ by, score }) => `${by} gave ${scoreText(score)}`).join(", ")}.`}
    </p>
  );
}

interface CardProps {
  open: Open;
  place: string;
  busy: boolean;
  onSay: (score: number) => void;
}

function Card({ open: { experiment, cell, question }, place, busy, onSay }: CardProps) {
  return (
    <article aria-label={cell.item_id}>
      <Panel
        title={question}
        actions={
          <>
            <span className="text-xs text-ink-soft">{place}</span>
            <Button size="sm" look="primary" disabled={busy} onClick={() => onSay(1)}>
              Yes
            </Button>
            <Button size="sm" disabled={busy} onClick={() => onSay(0)}>
              No
            </Button>
          </>
        }
      >
        <CaseFacts cell={cell} />
        <p className="mt-3 text-xs text-ink-soft">
          Press y or 1 for yes, n or 2 for no, j and k for next and previous.{" "}
          <Link href={`/experiments/results/${experiment}/${cell.id}`} className="text-accent-ink underline">
            Trace
          </Link>
        </p>
      </Panel>
    </article>
  );
}

interface Keys {
  readonly step: (by: number) => void;
  readonly say: (score: number) => void;
}

const STEPS: Readonly<Record<string, number>> = { j: 1, k: -1 };
const SCORES: Readonly<Record<string, number>> = { y: 1, 1: 1, n: 0, 2: 0 };

/** A combination, a key held down, something typed, or a dialog that is open. */
const isMeantElsewhere = (event: KeyboardEvent): boolean =>
  event.ctrlKey ||
  event.metaKey ||
  event.altKey ||
  event.repeat ||
  isTyping(event.target) ||
  document.querySelector("dialog[open]") !== null;

function useReviewKeys(keys: Keys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (isMeantElsewhere(event)) return;
      const by = STEPS[event.key];
      const score = SCORES[event.key];
      if (by !== undefined) latest.current.step(by);
      else if (score !== undefined) latest.current.say(score);
    };
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, []);
}
