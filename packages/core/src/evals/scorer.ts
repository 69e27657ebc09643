/**
 * A scorer says how good one run was, from 0 to 1. Most are declared (`exact`, `trajectory`, `judge` …); a custom one
 * is a function: `defineScorer({ name: "polite", score: ({ answer }) => answer.includes("please") })`.
 */
import type { JsonValue } from "../schema.ts";

/** A call that the run made. */
export interface ScoredCall {
  readonly tool: string;
  readonly input: JsonValue;
}

/** What a scorer sees of a run. */
export interface ScoredRun {
  readonly input: string;
  readonly expected?: JsonValue | undefined;
  readonly answer: string;
  readonly calls: readonly ScoredCall[];
  /** `done`, the code of a failure, or `diverged`: a replay that ended because nothing answered a call. */
  readonly outcome: string;
  readonly tokens: number;
  readonly costUsd: number;
  /** Of the model calls. */
  readonly modelMs: number;
}

export interface Score {
  /** From 0 to 1. */
  readonly score: number;
  readonly why?: string | undefined;
}

export interface Scorer {
  readonly name: string;
  readonly description: string;
  score(run: ScoredRun): Promise<Score>;
}

export interface ScorerDefinition {
  readonly name: string;
  readonly description?: string;
  /** True and false are 1 and 0. */
  score(run: ScoredRun): number | boolean | Score | Promise<number | boolean | Score>;
}

const NAME = /^[a-z][a-z0-9_-]{0,63}$/;

export function defineScorer({ name, description = "", score }: ScorerDefinition): Scorer {
  if (!NAME.test(name)) throw new Error(`a scorer's name is ${NAME}: "${name}"`);
  return {
    name,
    description,
    async score(run) {
      const given = await score(run);
      const made: Score = typeof given === "object" ? given : { score: Number(given) };
      if (!(made.score >= 0 && made.score <= 1))
        throw new Error(`the scorer "${name}" returned ${made.score}; a score is from 0 to 1`);
      return made;
    },
  };
}
