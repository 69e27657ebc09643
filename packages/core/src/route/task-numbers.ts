/** Numbers in natural language: "twenty-five", "two hundred and fifty", "3rd", "third", "1.5 million". */

const ONES =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const SCALES: Readonly<Record<string, number>> = { hundred: 100, thousand: 1e3, million: 1e6, billion: 1e9 };
const ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(
  " ",
);

const small = new Map<string, number>([
  ...ONES.map((word, at) => [word, at] as const),
  ...TENS.map((word, at) => [word, (at + 2) * 10] as const),
  ["dozen", 12],
]);

const WORD = [...small.keys(), ...Object.keys(SCALES)].join("|");
const SEQUENCE = new RegExp(`\\b(?:${WORD})(?:(?:[\\s-]+and[\\s-]+|[\\s-]+)(?:${WORD})){0,12}\\b`, "gi");
/** "second 90" is a unit with its number, not the second of something. */
const ORDINAL = new RegExp(
  `\\b(?:${ORDINALS.join("|")})\\b(?!\\s+\\d)|\\b(\\d{1,6})(?:st|nd|rd|th)\\b`,
  "gi",
);
const SCALED = /(?<![\w.])(\d+(?:\.\d+)?)\s+(hundred|thousand|million|billion)\b/gi;

export interface NumberText {
  readonly number: number;
  readonly at: number;
  readonly end: number;
}

/** Positions of numbers in words. "one" alone is as often a pronoun as a number, and is left out. */
export function numbersInWords(text: string): NumberText[] {
  return [...scaled(text), ...sequences(text), ...ordinals(text)];
}

function scaled(text: string): NumberText[] {
  return [...text.matchAll(SCALED)].map((match) => ({
    number: Number(match[1]) * (SCALES[(match[2] ?? "").toLowerCase()] ?? 1),
    at: match.index,
    end: match.index + match[0].length,
  }));
}

interface NumberWord {
  readonly word: string;
  readonly at: number;
}

function sequences(text: string): NumberText[] {
  return [...text.matchAll(SEQUENCE)]
    .filter((match) => match[0].toLowerCase() !== "one")
    .flatMap((match) =>
      runsOf(
        [...match[0].matchAll(/[a-z]+/gi)]
          .map((part) => ({ word: part[0].toLowerCase(), at: match.index + part.index }))
          .filter(({ word }) => word !== "and"),
      ),
    )
    .map((run) => {
      const [first, last] = [run[0] as NumberWord, run.at(-1) as NumberWord];
      return { number: numberOf(run), at: first.at, end: last.at + last.word.length };
    });
}

/** "two and three" are two numbers, "two hundred and three" is one: a word that cannot continue starts the next. */
function runsOf(words: readonly NumberWord[]): NumberWord[][] {
  const runs: NumberWord[][] = [];
  for (const next of words) {
    const last = runs.at(-1);
    if (last && goesOn(last.at(-1)?.word ?? "", next.word)) last.push(next);
    else runs.push([next]);
  }
  return runs;
}

function goesOn(before: string, word: string): boolean {
  const [last, next] = [small.get(before), small.get(word)];
  if (next === undefined || last === undefined) return true; // hundred, thousand, ... on either side
  return last >= 20 && next > 0 && next < 10;
}

function numberOf(run: readonly NumberWord[]): number {
  let [total, current] = [0, 0];
  for (const { word } of run) {
    const scale = SCALES[word];
    if (scale === undefined) current += small.get(word) ?? 0;
    else if (scale === 100) current = (current || 1) * 100;
    else [total, current] = [total + (current || 1) * scale, 0];
  }
  return total + current;
}

function ordinals(text: string): NumberText[] {
  return [...text.matchAll(ORDINAL)].map((match) => ({
    number: match[1] === undefined ? ORDINALS.indexOf(match[0].toLowerCase()) + 1 : Number(match[1]),
    at: match.index,
    end: match.index + match[0].length,
  }));
}
