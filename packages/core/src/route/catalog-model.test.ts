import { describe, expect, test } from "vitest";
import { type CatalogRow, fitCatalogModel, nothingFitsOdds } from "./catalog-model.ts";
import { catalogRows } from "./catalog-rows.ts";
import type { RouteDocument } from "./document.ts";
import { rank } from "./rank.ts";
import { createRouteIndex } from "./route-index.ts";
import type { Embed } from "./vectors.ts";
import { STATIC_WEIGHTS } from "./weights.ts";

const prior = STATIC_WEIGHTS.catalog as NonNullable<typeof STATIC_WEIGHTS.catalog>;
const values = (centre: number) => ({ centre, near: centre, gap: 0.2, agree: 1 });

/** Letters as dimensions: stands in for a model that sees spelling instead of meaning. */
const spelling: Embed = (text) => {
  const vector = new Float32Array(32);
  for (const letter of text.toLowerCase()) {
    const at = letter.charCodeAt(0) - 97;
    if (at >= 0 && at < 26) vector[at] = (vector[at] ?? 0) + 1;
  }
  const norm = Math.hypot(...vector);
  return norm === 0 ? undefined : vector.map((value) => value / norm);
};

const documents: RouteDocument[] = ["mail", "weather", "file", "music", "travel"].map((name) => ({
  id: name,
  name,
  description: `Everything about ${name}.`,
  triggers: ["open", "close", "find", "share", "print"].map((verb) => `${verb} the ${name}`),
}));
const indexOf = (all: readonly RouteDocument[]) => {
  const index = createRouteIndex({ embed: spelling });
  for (const document of all) index.add(document);
  return index;
};

describe("a catalog's own model", () => {
  test("equals the prior when the catalog's rows agree with it", () => {
    const odds = nothingFitsOdds(values(0.5), fitCatalogModel([], prior));
    expect(odds).toBeCloseTo(nothingFitsOdds(values(0.5), prior.weights), 6);
  });

  test("adapts to the catalog: where everything is similar, a match needs more similarity", () => {
    const rows = (fits: number, none: number): CatalogRow[] => [
      { values: values(fits), none: false },
      { values: values(none), none: true },
    ];
    const alike = fitCatalogModel(rows(0.95, 0.8), prior);
    const apart = fitCatalogModel(rows(0.6, 0.2), prior);
    expect(nothingFitsOdds(values(0.7), alike)).toBeGreaterThan(nothingFitsOdds(values(0.7), apart));
  });

  test("uses every trigger left out once, and once with its capability hidden", () => {
    const rows = catalogRows(indexOf(documents), STATIC_WEIGHTS.fusion);
    expect(rows.map(({ none }) => none)).toEqual(Array.from({ length: 50 }, (_, at) => at % 2 === 1));
  });

  test("is not fitted on a handful of triggers", () => {
    expect(catalogRows(indexOf(documents.slice(0, 3)), STATIC_WEIGHTS.fusion)).toEqual([]);
  });

  test("is the same in any order of registration, and leaves the index unchanged", () => {
    const index = indexOf(documents);
    const before = JSON.stringify(rank("print the file", index));
    const rows = JSON.stringify(catalogRows(index, STATIC_WEIGHTS.fusion));
    expect(JSON.stringify(rank("print the file", index))).toBe(before);
    const turned = indexOf(documents.toReversed());
    expect(JSON.stringify(catalogRows(turned, STATIC_WEIGHTS.fusion))).toBe(rows);
    expect(JSON.stringify(rank("print the file", turned))).toBe(before);
  });

  test("is refitted when a capability is added or removed", () => {
    const index = indexOf(documents);
    const alone = rank("print the mail", index).confidence;
    index.add({ ...(documents[0] as RouteDocument), id: "post", name: "post" });
    rank("print the mail", index);
    index.remove("post");
    expect(rank("print the mail", index).confidence).toBe(alone);
  });
});
