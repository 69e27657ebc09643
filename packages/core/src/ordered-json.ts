/** JSON with sorted keys: the same text for the same value. */
export const orderedJson = (value: unknown): string =>
  JSON.stringify(value ?? null, (_key, item: unknown) =>
    item !== null && typeof item === "object" && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );

/** Whether two values are the same JSON. */
export const isSameJson = (left: unknown, right: unknown): boolean =>
  orderedJson(left) === orderedJson(right);
