/**
 * Arithmetic in everyday words: "12 times 9" asks for a tool named `multiply`. The usual tool names of the operation are appended
 * to the text that is ranked; a name that no capability or tool has changes little.
 */
import { findValues } from "./task-values.ts";

interface Operation {
  /** Words between two numbers. */
  readonly between?: RegExp;
  /** Words before a number. */
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

/** A quick check before searching for numbers: hardly any task contains arithmetic. */
const MAY_BE_A_SUM =
  /[+*×÷^%√]|\d ?[-−–/x] ?\d|\b(?:plus|added|sum|total|minus|difference|take|times|multiplied|product|divided|over|quotient|power|percent|root)\b/i;

const BEFORE_CHARS = 30; // the longest words above, and what may be between them

/** The sentence, followed by the tool names of the arithmetic in it. */
export function withOperators(sentence: string): string {
  if (!MAY_BE_A_SUM.test(sentence)) return sentence;
  const numbers = findValues(sentence).filter(({ kind }) => kind === "number");
  const before = numbers.map(({ at }) => sentence.slice(Math.max(0, at - BEFORE_CHARS), at).trim());
  const between = numbers.slice(1).map(({ at }, after) => sentence.slice(numbers[after]?.end, at).trim());
  const meant = OPERATIONS.filter(
    (operation) =>
      !sentence.includes(operation.names) && // already said
      (between.some((text) => operation.between?.test(text)) ||
        before.some((text) => operation.before?.test(text))),
  );
  return [sentence, ...meant.map(({ names }) => names)].join(" ");
}
