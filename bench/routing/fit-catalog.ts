/**
 * Fits what a catalog's own model starts from:  node bench/routing/fit-catalog.ts [--minilm]
 * Prints the weights and the curvature for `packages/core/src/route/weights.ts`.
 */
import { parseArgs } from "node:util";
import { openMinilm } from "@capstan/builtins";
import { documentTexts, taskTexts } from "@capstan/core/internal";
import {
  CATALOG_INPUTS,
  type CatalogPrior,
  type CatalogValues,
} from "../../packages/core/src/route/catalog-model.ts";
import { fitLogistic } from "./logistic-regression.ts";
import { type Variant, variants } from "./variants.ts";

const RIDGE = 1e-4; // raw inputs lie between 0 and 1

/** Variants count alike, and so do tasks that something fits and tasks that nothing fits. */
export function catalogPrior(some: readonly Variant[]): CatalogPrior {
  const rows = some
    .filter((variant) => variant.rows.some(({ none }) => none))
    .flatMap(({ rows: all }) => {
      const none = all.filter((row) => row.none).length;
      return all.map((row) => ({
        x: inputsOf(row.catalog),
        positive: row.none,
        weight: 0.5 / (row.none ? none : all.length - none),
      }));
    });
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  const { weights, bias } = fitLogistic(rows, RIDGE);
  const all = [...weights, bias];
  const size = all.length;
  const curvature = new Float64Array(size * size);
  for (const { x, weight } of rows) {
    const withBias = [...x, 1];
    const odds = withBias.reduce((sum, value, at) => sum + value * (all[at] ?? 0), 0);
    const p = 1 / (1 + Math.exp(-odds));
    withBias.forEach((one, row) => {
      withBias.forEach((other, column) => {
        const at = row * size + column;
        curvature[at] = (curvature[at] ?? 0) + (weight / total) * p * (1 - p) * one * other;
      });
    });
  }
  return { weights: all, curvature: [...curvature] };
}

const inputsOf = (values: CatalogValues): number[] => CATALOG_INPUTS.map((input) => values[input]);

if (import.meta.main) {
  const { values: options } = parseArgs({ options: { minilm: { type: "boolean" } } });
  const minilm = options.minilm ? await openMinilm({ from: import.meta.url }) : undefined;
  if (options.minilm && !minilm) throw new Error("the MiniLM packages are not installed in bench");
  const all: Variant[] = [];
  const found = variants({
    model: minilm?.embed,
    prepare: async ({ capabilities, dev }) => {
      await minilm?.prepare([
        ...capabilities.map(documentTexts).flatMap(({ own, triggers }) => [own, ...triggers]),
        ...capabilities.flatMap(({ triggers = [] }) => triggers.flatMap(taskTexts)),
        ...dev.flatMap(({ task }) => taskTexts(task)),
      ]);
    },
  });
  for await (const variant of found) all.push(variant);
  const { weights, curvature } = catalogPrior(all);
  const round = (value: number) => Number(value.toPrecision(4));
  console.log(JSON.stringify({ weights: weights.map(round), curvature: curvature.map(round) }));
}
