/** Almost valid input: a JSON document with one to three of its nodes changed, dropped, duplicated or made hostile. */
import fc from "fast-check";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const HOSTILE: readonly Json[] = [
  ...["", " ", "\u0000", "\ud800", "../..", "__proto__", "constructor", "1e999", "‮", "a".repeat(10_000)],
  ...["$\u007bHOME}", "'; drop table agents; --", "<script>", "data:,x", "2025-13-45T99:99:99Z", "x@"],
  ...[null, true, -1, 0, 1.5, 2 ** 53, -(2 ** 31), [], {}, [[[[[]]]]], { __proto__: null }],
  Array.from({ length: 300 }, (_, index) => index),
];

type Change = {
  readonly at: number;
  readonly kind: "replace" | "drop" | "double" | "add";
  readonly value: Json;
};

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(10_000),
  kind: fc.constantFrom("replace" as const, "drop" as const, "double" as const, "add" as const),
  value: fc.oneof(fc.constantFrom(...HOSTILE), fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>),
});

/** One of the documents as it is in one case of twenty, else changed. */
export const almost = (documents: readonly Json[]): fc.Arbitrary<Json> =>
  fc
    .record({
      document: fc.constantFrom(...documents),
      changes: fc.array(change, { minLength: 0, maxLength: 3 }),
    })
    .map(({ document, changes }) => changes.reduce(changed, structuredClone(document)));

function changed(document: Json, { at, kind, value: given }: Change): Json {
  const value = structuredClone(given); // else a later change would put a list into itself
  const places = placesIn(document);
  const place = places[at % Math.max(1, places.length)];
  if (!place) return value;
  const { parent, key } = place;
  if (Array.isArray(parent)) {
    const amount = kind === "add" || kind === "double" ? 0 : 1;
    const put =
      kind === "drop" ? [] : [kind === "double" ? structuredClone(parent[Number(key)] ?? null) : value];
    parent.splice(Number(key), amount, ...put);
  } else if (kind === "drop") delete parent[key];
  else if (kind === "add") parent[`${key}x`] = value;
  else parent[key] = value;
  return document;
}

interface Place {
  readonly parent: Json[] | { [key: string]: Json };
  readonly key: string;
}

function placesIn(value: Json): Place[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.keys(value).flatMap((key) => [
    { parent: value, key },
    ...placesIn((value as { [key: string]: Json })[key] ?? null),
  ]);
}
