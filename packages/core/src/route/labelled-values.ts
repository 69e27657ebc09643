/** "subject: Report, body: It is attached.", "x: height and y: weight": values that the task labels with the parameter's own name. */
import { isFreeText } from "./free-text.ts";
import type { FoundValue } from "./task-values.ts";

interface Label {
  readonly name: string;
  readonly at: number;
  readonly valueAt: number;
}

/** One value per labelled parameter. Text extends to the next label or the end; any other value is one word. */
export function labelledValues(task: string, names: readonly string[]): Map<string, FoundValue> {
  const labels = names.flatMap((name) => labelOf(name, task)).sort((a, b) => a.at - b.at);
  const values = new Map<string, FoundValue>();
  labels.forEach(({ name, valueAt }, at) => {
    const end = labels[at + 1]?.at ?? task.length;
    const rest = task.slice(valueAt, end);
    const text = isFreeText(name)
      ? trimEnd(rest)
      : (/^[^\s,;]+/.exec(rest)?.[0] ?? "").replace(/[.!?]+$/, "");
    if (text !== "")
      values.set(name, {
        kind: "quoted",
        text: unquoted(text),
        at: labels[at]?.at ?? 0,
        end: valueAt + text.length,
      });
  });
  return values;
}

function labelOf(name: string, task: string): Label[] {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .split(" ");
  if (words[0] === undefined || words[0] === "") return [];
  const found = new RegExp(
    `(?<![\\w./])(?:the\\s+|with\\s+|and\\s+)*${words.join("[\\s_-]?")}\\s*[:=]\\s*(?=\\S)(?!//)`,
    "i",
  ).exec(task);
  return found ? [{ name, at: found.index, valueAt: found.index + found[0].length }] : [];
}

const trimEnd = (text: string): string => text.replace(/[\s,;]+(?:and)?\s*$/i, "").trim();

const unquoted = (text: string): string => /^"([^"]+)"$/.exec(text)?.[1] ?? text;
