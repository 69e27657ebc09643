/**
 * JSON that Postgres accepts. It rejects NUL and lone surrogates in text, which models and tools do send;
 * both become the replacement character. The check is one regular expression pass over text that has neither.
 */
const UNSTORABLE = /\\u(?:0000|d[89a-f][0-9a-f]{2})/; // well-formed stringify escapes a surrogate only when it is alone

export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  return UNSTORABLE.test(json) ? JSON.stringify(value, cleaned) : json;
}

const cleaned = (_key: string, value: unknown): unknown =>
  typeof value === "string" ? storableText(value) : hasText(value) ? cleanedKeys(value) : value;

export const storableText = (text: string): string => text.toWellFormed().replaceAll("\u0000", "\ufffd");

const hasText = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const cleanedKeys = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([key, member]) => [storableText(key), member]));
