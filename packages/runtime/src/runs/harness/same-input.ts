/** Arguments of a call as JSON, and whether two are equal regardless of key order. */
import type { JsonValue } from "@capstan/core";

export function jsonOf(value: unknown): JsonValue {
  const text = JSON.stringify(value ?? {});
  return text === undefined ? {} : JSON.parse(text);
}

export const sameInput = (a: JsonValue, b: JsonValue): boolean => ordered(a) === ordered(b);

const ordered = (value: JsonValue): string =>
  JSON.stringify(value, (_key, inner) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
