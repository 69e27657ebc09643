/**
 * The parts of a task: "add 2 and 40 and tell me the time in Paris" has two. Quoted text, code and text after a colon
 * is never split. "and" starts a new part only before a verb or a question.
 */
import { isActionVerb } from "./actions.ts";
import { findValues } from "./task-values.ts";

export interface TaskPart {
  readonly text: string;
  /** Separated by a full stop or "then", so it cannot belong to what precedes it. */
  readonly isSeparate: boolean;
}

const MAX_PARTS = 8;
const SEPARATE =
  /[.;!?]\s+(?=\S)|,?\s+(?:and\s+)?(?:then|after that|afterwards|finally|next|lastly)\b,?\s+/gi;
const JOINED = /,?\s+and\s+(?:also\s+|please\s+)?|,\s+/gi;
const QUESTION_WORDS = new Set(
  "what which who when where why how is are do does can could please".split(" "),
);
const LEAD = /^(?:and|then|also|first(?:ly)?|second(?:ly)?|please)\b,?\s*/i;

export function taskParts(task: string): TaskPart[] {
  const masked = masking(task);
  const parts: TaskPart[] = [];
  for (const [from, end, isFirst] of pieces(masked, SEPARATE)) {
    let start = from;
    let isSeparate = !isFirst;
    for (const cut of joins(masked.slice(from, end))) {
      push(parts, task.slice(start, from + cut.at), isSeparate);
      start = from + cut.end;
      isSeparate = false;
    }
    push(parts, task.slice(start, end), isSeparate);
  }
  return parts.slice(0, MAX_PARTS);
}

function push(parts: TaskPart[], text: string, isSeparate: boolean): void {
  const tidy = text.trim().replace(LEAD, "").trim();
  if (/[\p{L}\p{N}]/u.test(tidy)) parts.push({ text: tidy, isSeparate });
}

/** Verbatim text, masked by letters that no pattern splits at. */
function masking(task: string): string {
  const colon = /:\s+\S/.exec(task)?.index ?? task.length;
  const handedOn = findValues(task).filter(({ kind }) => kind !== "number" && kind !== "date");
  const masked = handedOn.reduce(
    (text, { at, end }) => `${text.slice(0, at)}${"x".repeat(end - at)}${text.slice(end)}`,
    task,
  );
  return masked.slice(0, colon) + "x".repeat(task.length - colon);
}

function* pieces(text: string, pattern: RegExp): Generator<[from: number, end: number, isFirst: boolean]> {
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    yield [from, match.index, from === 0];
    from = match.index + match[0].length;
  }
  yield [from, text.length, from === 0];
}

function joins(text: string): { at: number; end: number }[] {
  return [...text.matchAll(JOINED)].flatMap((match) => {
    const end = match.index + match[0].length;
    const next = /^[\w']+/.exec(text.slice(end))?.[0].toLowerCase() ?? "";
    return isActionVerb(next) || QUESTION_WORDS.has(next) ? [{ at: match.index, end }] : [];
  });
}
