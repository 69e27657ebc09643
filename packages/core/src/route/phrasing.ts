/**
 * How a task is phrased, whatever its topic. A request says "can you", "I need", "my"; a question about the world says "why do",
 * "they", "would", and no tool answers it however many words they share. Only function words count, so that no catalog's
 * topics are learned.
 */
import { PHRASING_WEIGHTS } from "./phrasing-weights.ts";

/** Matched anywhere in the task. */
export const PHRASING_WORDS: readonly string[] =
  `a an the i my me mine myself we our us you your yourself he she it its they their them this that these those and or but
  if so because when while where what which who whom whose why how is are was were be been being am do does did done doing
  have has had having can could will would shall should may might must not no need want like please help tell give let to of in on at for from with about into by as than then there here any some all each every both more most
  other such only same very just now also too out up one two`.split(/\s+/);

/** Matched as the first word, written `^what`. */
export const OPENING_WORDS: readonly string[] =
  `i what how can could is are do does if given why where when which who please in a you the my`.split(/\s+/);

const SHORT_FORMS = new Map([
  ["im", "i"],
  ["ive", "i"],
  ["whats", "what"],
  ["whos", "who"],
  ["hows", "how"],
  ["wheres", "where"],
  ["whens", "when"],
  ["dont", "not"],
  ["cant", "not"],
]);
const ANYWHERE = new Set(PHRASING_WORDS);
const OPENING = new Set(OPENING_WORDS);

/** The function words of a task, each once. */
export function phrasingMarks(spoken: readonly string[]): ReadonlySet<string> {
  const marks = new Set<string>();
  spoken.forEach((word, at) => {
    const long = SHORT_FORMS.get(word) ?? word;
    if (ANYWHERE.has(long)) marks.add(long);
    if (at === 0 && OPENING.has(long)) marks.add(`^${long}`);
  });
  return marks;
}

/** Log odds: above 0 for a question about the world, below 0 for a request. */
export function phrasingOf(spoken: readonly string[]): number {
  let sum = PHRASING_WEIGHTS.bias;
  for (const mark of phrasingMarks(spoken)) sum += PHRASING_WEIGHTS.marks.get(mark) ?? 0;
  return sum;
}
