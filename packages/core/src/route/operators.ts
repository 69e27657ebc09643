/**
 * Sums as people say them: "12 times 9" asks for what a tool calls `multiply`. The names tools have for the operation are added
 * to what the ranking hears; a name that no capability or tool has changes little.
 */
import { findValues } from "./task-values.ts";

interface Operation {
  /** All that stands between two numbers. */
  readonly between?: RegExp;
  /** What stands before a number. */
  readonly before?: RegExp;
  readonly names: string;
}

const OPERATIONS: readonly Operation[] = [
  {
    between: /^(?:\+|plus|added to)$/i,
    before: /\b(?:sum|total) of(?: the numbers)?$/i,
    names: "add addition plus",
  },
  {
    between: /^(?:-|−|–|minus)$/i,
    before: /\b(?:difference (?:between|of)|take)$/i,
    names: "subtract subtraction minus",
  },
  {
    between: /^(?:\*|×|x|times|multiplied by)$/i,
    before: /\bproduct of$/i,
    names: "multiply multiplication",
  },
  { between: /^(?:\/|÷|divided by|over)$/i, before: /\bquotient of$/i, names: "divide division" },
  { between: /^(?:\^|\*\*|to the power of)$/i, names: "power exponent pow" },
  { between: /^(?:%|percent) of$/i, names: "percent percentage" },
  { before: /\bsquare root of$|√$/i, names: "sqrt" },
];

/** One look at the text before numbers are searched in it: hardly any task speaks of a sum. */
const MAY_BE_A_SUM =
  /[+*×÷^%√]|\d ?[-−–/x] ?\d|\b(?:plus|added|sum|total|minus|difference|take|times|multiplied|product|divided|over|quotient|power|percent|root)\b/i;

const BEFORE_CHARS = 30; // the longest words above, and what may stand between them

/** The sentence, and behind it the names tools have for the sums it speaks of. */
export function withOperators(sentence: string): string {
  if (!MAY_BE_A_SUM.test(sentence)) return sentence;
  const numbers = findValues(sentence).filter(({ kind }) => kind === "number");
  const before = numbers.map(({ at }) => sentence.slice(Math.max(0, at - BEFORE_CHARS), at).trim());
  const between = numbers.slice(1).map(({ at }, after) => sentence.slice(numbers[after]?.end, at).trim());
  const meant = OPERATIONS.filter(
    (operation) =>
      !sentence.includes(operation.names) && // said already
      (between.some((text) => operation.between?.test(text)) ||
        before.some((text) => operation.before?.test(text))),
  );
  return [sentence, ...meant.map(({ names }) => names)].join(" ");
}
