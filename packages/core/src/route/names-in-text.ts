/** Names of people and things in a task: "called Team lunch", "customer Northwind", "Peter Parker's", "give it to Maria". */
import type { FoundValue } from "./task-values.ts";

/** Words that end a name. */
const END = String.raw`(?=\s*[,.;:!?]|\s*$|\s+(?:for|with|that|and|on|at|in|to|by|from|over|tomorrow|today|tonight|next|this|saying|worth)\b)`;
const CALLED = new RegExp(
  String.raw`\b(?:called|named|titled)\s+["']?([\p{L}\p{N}][\p{L}\p{N} .&'-]{0,80}?)["']?${END}`,
  "iu",
);
const CAPITALS = String.raw`\p{Lu}[\p{L}\p{N}'&-]*(?:\s+\p{Lu}[\p{L}\p{N}&-]*)*`;
const POSSESSIVE = /(?<!^)\b(\p{Lu}[\p{L}-]*(?:\s+\p{Lu}[\p{L}-]*)*)['’]s\b/u;
const AFTER_PREPOSITION = new RegExp(
  String.raw`\b(?:for|of|to|with|from|by|about)\s+(?:the\s+)?(${CAPITALS})`,
  "u",
);

/** Months and days are dates, not names. */
const NOT_A_NAME =
  /^(?:January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|I)\b/;

/** `loosely`: also accepts a capitalised name after a preposition, unless the parameter is just `name` or `title`. */
export function nameIn(
  task: string,
  parameter: string,
  { loosely }: { loosely: boolean },
): FoundValue | undefined {
  const noun = parameter
    .replace(/[_-]?name$/i, "")
    .replace(/[^\p{L}]+/gu, " ")
    .trim();
  const byNoun =
    noun === "" || noun.length < 3
      ? undefined
      : found(new RegExp(String.raw`\b${noun}\s+(?:(?:called|named|is)\s+)?(${CAPITALS})`, "u"), task);
  return (
    found(CALLED, task) ??
    byNoun ??
    found(POSSESSIVE, task) ??
    (loosely && !/^(name|title|label)$/i.test(parameter) ? found(AFTER_PREPOSITION, task) : undefined)
  );
}

function found(pattern: RegExp, task: string): FoundValue | undefined {
  const match = pattern.exec(task);
  const text = match?.[1]?.trim();
  if (!match || !text || NOT_A_NAME.test(text)) return undefined;
  const at = match.index + match[0].indexOf(text);
  return { kind: "quoted", text, at, end: at + text.length };
}
