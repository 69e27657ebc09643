/** What an evaluation found, from a server's experiment or from recordings alone, and whether it is good enough. */
import type { ExperimentCell, ExperimentReport } from "@capstan/client";
import { fail, ok, type Result } from "@capstan/core";

export type EvalCell = Pick<
  ExperimentCell,
  "item_id" | "variant" | "repeat" | "status" | "answer" | "scores" | "failure" | "model_ms"
>;

export interface EvalResult {
  readonly dataset: string;
  readonly experimentId: string | null;
  readonly variants: readonly string[];
  readonly figures: Pick<ExperimentReport["figures"], "variants" | "pairs" | "regressions" | "flaky">;
  readonly cells: readonly EvalCell[];
  readonly costUsd: number;
}

export interface Criteria {
  /** The lowest mean of a scorer; `*` is every scorer. */
  readonly thresholds: ReadonlyMap<string, number>;
  /** The first variant is what the others must not be worse than. */
  readonly noWorse: boolean;
  /** By how much a mean may be lower. */
  readonly tolerance: number;
}

/** `exact=0.9`, or `0.9` for every scorer. */
export function thresholdsOf(given: readonly string[], usage: string): Result<Map<string, number>> {
  const found = new Map<string, number>();
  for (const text of given) {
    const at = text.lastIndexOf("=");
    const [name, value] = at < 0 ? ["*", text] : [text.slice(0, at), text.slice(at + 1)];
    const lowest = value.trim() === "" ? Number.NaN : Number(value);
    if (!(lowest >= 0 && lowest <= 1))
      return fail("command_invalid", {
        message: `--threshold ${text}: a number from 0 to 1, or scorer=number`,
        usage,
      });
    found.set(name, lowest);
  }
  return ok(found);
}

/** Why the evaluation does not pass; empty when it does. */
export function faultsOf({ figures, cells, variants }: EvalResult, criteria: Criteria): string[] {
  const named = (variant: number) => variants[variant] ?? `variant ${variant}`;
  const unmeasured = cells.filter(({ status }) => status !== "done");
  const broken = cells.flatMap(({ scores }) => scores.filter(({ error }) => error !== null));
  const known = new Set(figures.variants.flatMap(({ scorers }) => scorers.map(({ scorer }) => scorer)));
  const low = figures.variants
    .filter(({ variant }) => !(criteria.noWorse && variant === 0))
    .flatMap(({ variant, scorers }) =>
      scorers.flatMap(({ scorer, mean }) => {
        const lowest = criteria.thresholds.get(scorer) ?? criteria.thresholds.get("*");
        return lowest !== undefined && mean < lowest
          ? [`${named(variant)}: ${scorer} is ${shownScore(mean)}, below ${shownScore(lowest)}`]
          : [];
      }),
    );
  const worse = criteria.noWorse
    ? figures.pairs.flatMap(({ variant, scorer, difference }) =>
        difference < -criteria.tolerance - 1e-9
          ? [`${named(variant)}: ${scorer} is ${shownScore(-difference)} lower than ${named(0)}`]
          : [],
      )
    : [];
  return [
    ...(unmeasured.length > 0
      ? [
          `${unmeasured.length} cells were not measured: ${unmeasured[0]?.failure?.message ?? unmeasured[0]?.status}`,
        ]
      : []),
    ...(broken.length > 0
      ? [`${broken.length} scores are missing: ${broken[0]?.scorer}: ${broken[0]?.error}`]
      : []),
    ...[...criteria.thresholds.keys()].flatMap((name) =>
      name === "*" || known.has(name) ? [] : [`there is no scorer "${name}"`],
    ),
    ...low,
    ...worse,
  ];
}

export const shownScore = (score: number): string => score.toFixed(3).replace(/\.?0+$/, "") || "0";
