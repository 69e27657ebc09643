/** Converts experiments between the API and the code, and computes their figures. */
import type {
  Experiment,
  ExperimentCell,
  ExperimentReport,
  ExperimentTrace,
  ReviewItem,
} from "@capstan/client/wire";
import { figuresFrom } from "@capstan/client/wire";
import {
  agreementOf,
  isPassed,
  roundedUsd,
  type ScoredCell,
  type ScorerSpec,
  scorerName,
} from "@capstan/core/internal";
import type { CellRecord, CellScores, ExperimentRecord } from "@capstan/runtime";
import { asWire } from "../http/define-route.ts";
import { comparedCallDto, messageDto } from "../replays/replay-dto.ts";

type Variant = ExperimentRecord["variants"][number];
type Review = NonNullable<CellScores["reviews"]>[number];
type StoredScore = NonNullable<CellScores["scores"]>[number];

export function experimentDto(experiment: ExperimentRecord): Experiment {
  const { cells } = experiment;
  const total = Object.values(cells).reduce((sum, count) => sum + count, 0);
  const none = { queued: 0, running: 0, done: 0, failed: 0, skipped: 0, cancelled: 0 };
  return {
    id: experiment.id,
    name: experiment.name,
    status: experiment.status,
    dataset_id: experiment.datasetId,
    dataset_name: experiment.datasetName,
    version: experiment.datasetVersion,
    agent_id: experiment.agentId,
    variants: experiment.variants.map(variantDto),
    scorers: asWire<Experiment["scorers"]>(experiment.scorers as Experiment["scorers"]),
    repeats: experiment.repeats,
    live_reads: experiment.liveReads,
    concurrency: experiment.concurrency,
    budget_usd: experiment.budgetUsd,
    progress: { total, ...none, ...cells },
    tokens: experiment.tokens,
    cost_usd: roundedUsd(experiment.costUsd),
    judge_usd: roundedUsd(experiment.judgeUsd),
    created_by: experiment.owner,
    created_at: experiment.createdAt.toISOString(),
    ended_at: experiment.endedAt?.toISOString() ?? null,
  };
}

const variantDto = ({ name, change }: Variant): Experiment["variants"][number] => ({
  name,
  revision: change.revision ?? null,
  ...(change.model !== undefined && { model: change.model }),
  ...(change.systemPrompt !== undefined && { system_prompt: change.systemPrompt }),
  ...(change.capabilities && {
    capabilities: change.capabilities.map(({ id, version }) => ({
      id,
      ...(version !== undefined && { version }),
    })),
  }),
  ...(change.rules && { rules: change.rules.length }),
});

/** A score that people gave is the mean of theirs. */
function scoreWithReviews(score: StoredScore, reviews: readonly Review[], specs: readonly ScorerSpec[]) {
  const own = reviews.filter(({ scorer }) => scorer === score.scorer);
  if (own.length === 0) return score;
  const mean = own.reduce((sum, review) => sum + review.score, 0) / own.length;
  const spec = specs.find((each) => each.type === "human" && scorerName(each) === score.scorer);
  return { ...score, score: mean, passed: spec ? isPassed(spec, mean) : mean >= 1 };
}

type Figures = ExperimentReport["figures"];

export function figuresOf(experiment: ExperimentRecord, cells: readonly CellScores[]): Figures {
  const scored = cells.map(
    ({ id, scores, reviews, ...cell }): ScoredCell => ({
      ...cell,
      cellId: id,
      scores: (scores ?? []).map((score) => scoreWithReviews(score, reviews ?? [], experiment.scorers)),
    }),
  );
  return {
    ...figuresFrom(scored, experiment.variants.length),
    calibration: calibrationOf(experiment.scorers, scored),
    disagreements: cells.flatMap(disagreementsOf),
  };
}

/** Each judge beside each question to people, on the cells that both have scored. */
function calibrationOf(specs: readonly ScorerSpec[], cells: readonly ScoredCell[]): Figures["calibration"] {
  const named = (type: string) => specs.filter((spec) => spec.type === type).map(scorerName);
  return named("judge").flatMap((judge) =>
    named("human").flatMap((human) => {
      const pairs = cells.flatMap(({ scores }) => {
        const passedBy = (name: string) => scores.find(({ scorer }) => scorer === name)?.passed;
        const [left, right] = [passedBy(judge), passedBy(human)];
        return typeof left === "boolean" && typeof right === "boolean" ? [{ left, right }] : [];
      });
      return pairs.length === 0 ? [] : [{ judge, human, ...agreementOf(pairs) }];
    }),
  );
}

function disagreementsOf({ id, itemId, variant, reviews }: CellScores): Figures["disagreements"] {
  const byScorer = Map.groupBy(reviews ?? [], ({ scorer }) => scorer);
  return [...byScorer].flatMap(([scorer, each]) => {
    const scores = each.map(({ score }) => score);
    return new Set(scores).size > 1 ? [{ cell_id: id, item_id: itemId, scorer, variant, scores }] : [];
  });
}

export function cellDto(cell: CellRecord, specs: readonly ScorerSpec[]): ExperimentCell {
  const reviews = cell.reviews ?? [];
  const { code, message, nextStep } = cell.failure ?? {};
  return {
    id: cell.id,
    item_id: cell.itemId,
    variant: cell.variant,
    repeat: cell.repeat,
    status: cell.status,
    verdict: cell.verdict,
    answer: cell.answer,
    outcome: cell.outcome,
    diverged: cell.diverged,
    scores: (cell.scores ?? []).map((stored) => {
      const {
        scorer,
        type,
        score,
        passed,
        why,
        votes = [],
        costUsd = 0,
        error,
      } = scoreWithReviews(stored, reviews, specs);
      return {
        scorer,
        type,
        score,
        passed,
        why: why ?? null,
        votes: [...votes],
        cost_usd: roundedUsd(costUsd),
        error: error ?? null,
        reviews: reviews
          .filter((review) => review.scorer === scorer)
          .map(({ by, score: given, note, at }) => ({ by, score: given, note, at })),
      };
    }),
    run_id: cell.source.runId ?? null,
    failure: code === undefined ? null : { code, message: message ?? "", nextStep: nextStep ?? "" },
    tokens: cell.tokens,
    cost_usd: roundedUsd(cell.costUsd),
    model_ms: cell.modelMs,
  };
}

export const traceDto = (cell: CellRecord, specs: readonly ScorerSpec[]): ExperimentTrace => ({
  ...cellDto(cell, specs),
  item: asWire<ExperimentTrace["item"]>(cell.item as ExperimentTrace["item"]),
  calls: (cell.comparison?.calls ?? []).map(comparedCallDto),
  gate: (cell.comparison?.gate ?? []).map(({ before = null, ...change }) => ({ ...change, before })),
  messages: (cell.messages ?? []).map(messageDto),
});

/** The scores in a cell that this person has yet to give. */
export function reviewDto(cell: CellRecord, specs: readonly ScorerSpec[], by: string): ReviewItem {
  const item = cell.item as ReviewItem["item"];
  const asked = [...specs, ...((item.scorers ?? []) as ScorerSpec[])];
  const answered = (scorer: string) =>
    (cell.reviews ?? []).some((review) => review.scorer === scorer && review.by === by);
  return {
    ...cellDto(cell, specs),
    item,
    questions: asked.flatMap((spec) =>
      spec.type === "human" && !answered(scorerName(spec))
        ? [{ scorer: scorerName(spec), question: spec.question }]
        : [],
    ),
  };
}
