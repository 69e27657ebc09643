/** RFC 7396 merge patch: objects are merged, null removes, anything else replaces. */

type Json = unknown;

export function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else if (value !== undefined) merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

/** The patch that turns `before` into `after`. */
export function patchBetween(before: Json, after: Json): Json {
  if (!isObject(before) || !isObject(after)) return after;
  const [had, has] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const gone = [...had.keys()].filter((name) => has.get(name) === undefined);
  return Object.fromEntries([
    ...[...has].map(([name, value]) => [name, patchBetween(had.get(name), value)]),
    ...gone.map((name) => [name, null]),
  ]);
}

const isObject = (value: Json): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
