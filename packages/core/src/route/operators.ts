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
  /** With these words, the words between mean something else: "divida 90 por 6". */
  readonly unless?: RegExp;
}

const OPERATIONS: readonly Operation[] = [
  {
    between: /^(?:\+|plus|added to|más|mas|mais|und|足す|たす|加|加上)$/i,
    before: /\b(?:sum|total) of(?: the numbers)?$/i,
    names: "add addition plus",
  },
  {
    between: /^(?:-|−|–|minus|menos|moins|引く|ひく|减|減|减去)$/i,
    before: /\b(?:difference (?:between|of)|take)$/i,
    names: "subtract subtraction minus",
  },
  {
    between:
      /^(?:\*|×|x|times|multiplied by|mal|multipliziert mit|por|multiplicado por|fois|multiplié par|vezes|かける|乘|乘以|乗)$/i,
    before: /\bproduct of$/i,
    names: "multiply multiplication",
    unless: /\bdivi[ds]/i,
  },
  {
    between:
      /^(?:\/|÷|divided by|over|durch|geteilt durch|entre|dividido (?:por|entre)|divisé par|割る|わる|除以)$/i,
    before: /\b(?:quotient of|divid[ae]|divise|teile)$/i,
    names: "divide division",
  },
  { between: /^(?:\^|\*\*|to the power of)$/i, names: "power exponent pow" },
  { between: /^(?:%|percent) of$/i, names: "percent percentage" },
  { before: /\bsquare root of$|√$/i, names: "sqrt" },
];

/** A quick check before searching for numbers: hardly any task contains arithmetic. */
const MAY_BE_A_SUM =
  /[+*×÷^%√]|\d ?[-−–/x] ?\d|\d ?(?:\p{L}{1,14} ?){1,2}\d|\b(?:divid[ae]|divise|teile|plus|added|sum|total|minus|difference|take|times|multiplied|product|divided|over|quotient|power|percent|root)\b/iu;

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
      operation.unless?.test(sentence) !== true &&
      (between.some((text) => operation.between?.test(text)) ||
        before.some((text) => operation.before?.test(text))),
  );
  return [sentence, ...meant.map(({ names }) => names)].join(" ");
}
