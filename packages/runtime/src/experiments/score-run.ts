/** The scores of one run by every scorer. A scorer that fails says so in its score; the others count. */
import type { JsonSchema, JsonValue } from "@capstan/core";
import {
  isPassed,
  isPlain,
  plainScore,
  type ScoredRun,
  type Scorer,
  type ScorerHelp,
  type ScorerSpec,
  scorerName,
  type TextKind,
} from "@capstan/core/internal";
import { foreignSchema } from "../sources/json-schema.ts";
import { compileTextFind } from "../text-checks/compile-text-check.ts";
import { askJudge, type Judged, type JudgeParts } from "./ask-judge.ts";

/** As it is stored. `score` is null while a person has not given it, or when the scorer failed. */
export interface StoredScore {
  readonly scorer: string;
  readonly type: ScorerSpec["type"];
  readonly score: number | null;
  readonly passed: boolean | null;
  readonly why?: string | undefined;
  /** Of a judge that was asked several times. */
  readonly votes?: readonly number[] | undefined;
  readonly costUsd?: number | undefined;
  readonly tokens?: number | undefined;
  /** Why the scorer gave no score. */
  readonly error?: string | undefined;
  /** A person gives it. */
  readonly pending?: true | undefined;
}

export interface ScoreParts extends JudgeParts {
  /** Of `capstan.config.ts`. */
  readonly scorers: readonly Scorer[];
}

export interface ScoreRequest {
  readonly specs: readonly ScorerSpec[];
  readonly run: ScoredRun;
  readonly agentId: string;
  readonly user: string;
  readonly signal: AbortSignal;
  /** Judges reserve budgets under this id. */
  readonly reservation: string;
}

/** One after the other: an id reserves for one model call at a time. */
export async function scoreRun(parts: ScoreParts, request: ScoreRequest): Promise<StoredScore[]> {
  const scores: StoredScore[] = [];
  for (const spec of request.specs) scores.push(await scoreBy(parts, spec, request));
  return scores;
}

async function scoreBy(parts: ScoreParts, spec: ScorerSpec, request: ScoreRequest): Promise<StoredScore> {
  const about = { scorer: scorerName(spec), type: spec.type };
  const none = { ...about, score: null, passed: null };
  if (spec.type === "human") return { ...none, pending: true };
  try {
    const given = await scoreOf(parts, spec, request);
    if ("error" in given) return { ...none, ...given };
    return { ...about, ...given, passed: isPassed(spec, given.score) };
  } catch (error) {
    if (request.signal.aborted) throw error;
    return { ...none, error: error instanceof Error ? error.message : String(error) };
  }
}

type Given =
  | (Pick<Judged, "score" | "why"> & Partial<Judged>)
  | ({ readonly error: string } & Partial<Pick<Judged, "costUsd" | "tokens">>);

async function scoreOf(
  parts: ScoreParts,
  spec: Exclude<ScorerSpec, { type: "human" }>,
  request: ScoreRequest,
): Promise<Given> {
  const { run } = request;
  if (isPlain(spec)) return plainScore(spec, run, HELP);
  if (spec.type === "code") {
    const scorer = parts.scorers.find(({ name }) => name === spec.scorer);
    return scorer ? scorer.score(run) : { error: `no scorer is named "${spec.scorer}"` };
  }
  if (run.outcome === "diverged") return { score: 0, why: "the replay ended before there was an answer" };
  const judged = await askJudge(parts, { ...request, spec });
  if (judged.ok) return judged.value;
  const { failure, costUsd, tokens } = judged;
  return { error: failure.message, costUsd, tokens };
}

/** Schemas and patterns come from people: both run on matchers that cannot hang. */
const HELP: ScorerHelp = {
  schemaFault(schema: JsonSchema, value: JsonValue) {
    const made = foreignSchema(schema);
    if (!made.ok) return made.failure.message;
    const read = made.value.parse(value);
    return read.ok ? undefined : read.where;
  },
  finder(kind: TextKind) {
    const found = compileTextFind({ kind });
    return found.ok ? found.value : () => [];
  },
};
