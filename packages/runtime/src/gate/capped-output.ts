/** A tool's output as JSON, truncated when it is too long for a model. Long texts are cut in place, so that the shape survives. */
import type { JsonValue } from "@capstan/core";

const KEPT_SHARE = 0.75; // of the limit, for the longest text; the rest is for the other fields

export function cappedOutput(output: unknown, maxChars: number): JsonValue {
  const text = JSON.stringify(output ?? null) ?? "null";
  if (text.length <= maxChars) return JSON.parse(text);
  const longestText = Math.max(1, Math.floor(maxChars * KEPT_SHARE));
  const shorter = JSON.stringify(output, (_key, value) =>
    typeof value === "string" ? cutText(value, longestText) : value,
  );
  return shorter.length <= maxChars ? JSON.parse(shorter) : cutText(text, longestText);
}

const cutText = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}\n[cut: ${text.length - most} more characters]`;
