/** Checks on model output before it is stored and sent: mask, block, or hold it until a person has read it. */
import { plainText } from "../plain-text.ts";
import { TOKEN_PATTERN, tokensIn } from "./token-forms.ts";

export const TEXT_KINDS = ["email", "credit_card", "phone", "secret"] as const;
export type TextKind = (typeof TEXT_KINDS)[number];

export const TEXT_EFFECTS = ["mask", "block", "ask"] as const;
export type TextEffect = (typeof TEXT_EFFECTS)[number];

/** A model that reads a whole answer and says whether it has what the prompt describes. */
export interface ModelFind {
  readonly model: string;
  readonly prompt: string;
  /** Without an answer by then the text is blocked. */
  readonly timeout_seconds?: number | undefined;
}

/** What is looked for, one of four. A pattern never matches across lines. */
export type TextFind =
  | ModelFind
  | { readonly pattern: string }
  | { readonly words: readonly string[] }
  | { readonly kind: TextKind };

export interface TextCheck {
  readonly id: string;
  readonly name: string;
  /** Absent: every agent. */
  readonly agentId?: string | undefined;
  readonly find: TextFind;
  readonly effect: TextEffect;
  /** Replaces masked text, or is the message of a block. */
  readonly words?: string | undefined;
  readonly expiresAt?: Date | undefined;
}

/** Where something was found: from, up to. */
export type Span = readonly [number, number];
export type FindSpans = (line: string) => readonly Span[];
export interface CompiledCheck {
  readonly check: TextCheck;
  readonly find: FindSpans;
}

export const MASKED = "[removed]";

/** Patterns of the kinds, in RE2's syntax. */
export const KIND_PATTERNS: Readonly<Record<TextKind, string>> = {
  email: "[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+",
  credit_card: "\\b\\d(?:[ -]?\\d){12,}\\b",
  phone: "\\+\\d{1,3}[ .-]?(?:\\(\\d{1,4}\\)[ .-]?)?\\d(?:[ .-]?\\d){6,12}\\b",
  secret: TOKEN_PATTERN,
};

/**
 * Which parts of what the pattern of a kind found are of the kind. A row of digits is a card's number only if its check digit is right,
 * and it may have other numbers around it, such as the expiry date.
 */
export function spansOfKind(kind: TextKind, found: string): readonly Span[] {
  if (kind === "secret") return tokensIn(found);
  if (kind !== "credit_card") return [[0, found.length]];
  if (isCardNumber(found)) return [[0, found.length]];
  const groups = [...found.matchAll(/\d+/g)].map(({ 0: digits, index }) => ({
    index,
    end: index + digits.length,
  }));
  return groups.flatMap(({ index }, from) => {
    const end = groups
      .slice(from, from + MOST_CARD_GROUPS)
      .find(({ end: last }) => isGroupedCard(found.slice(index, last)))?.end;
    return end === undefined ? [] : [[index, end] as const];
  });
}

const MOST_CARD_GROUPS = 5; // 4-4-4-4-3
/** As printed on cards, in one piece or in groups starting with four digits, so that a table of small numbers does not match. */
const isGroupedCard = (text: string): boolean =>
  /^(?:\d{13,}|\d{4}(?:[ -]\d{3,6}){2,4})$/.test(text) && isCardNumber(text);

function isCardNumber(text: string): boolean {
  const { length } = text.replaceAll(/\D/g, "");
  return length >= 13 && length <= 19 && hasCheckDigit(text);
}

function hasCheckDigit(text: string): boolean {
  const digits = [...text.replaceAll(/\D/g, "")].toReversed().map(Number);
  const sum = digits.reduce((total, digit, at) => {
    const counted = at % 2 === 0 ? digit : digit * 2;
    return total + (counted > 9 ? counted - 9 : counted);
  }, 0);
  return sum % 10 === 0;
}

/** Scripts without spaces have no word boundaries: there every occurrence counts. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const isLetter = (text: string | undefined): boolean =>
  text !== undefined && /[\p{L}\p{N}_]/u.test(text) && !UNSPACED.test(text);

/** Whole words, in any letter case and any language. */
export function findWords(words: readonly string[]): FindSpans {
  const wanted = new Set(words.flatMap((word) => [word.normalize("NFC"), plainText(word)].map(lowerCase)));
  wanted.delete("");
  return inPlainTextToo((line) => {
    const text = line.toLowerCase();
    if (text.length !== line.length)
      return [...wanted].some((word) => text.includes(word)) ? [[0, line.length]] : [];
    return [...wanted].flatMap((word) => spansOf(text, word));
  });
}

const lowerCase = (text: string): string => text.toLowerCase();

const IS_ASCII = /^[\0-\x7f]*$/;

/** Other spellings hide nothing: if a line's plain form has more matches than the line itself, the whole line matches. */
export const inPlainTextToo =
  (find: FindSpans): FindSpans =>
  (line) => {
    const spans = find(line);
    if (IS_ASCII.test(line)) return spans;
    const plain = plainText(line);
    return plain !== line && find(plain).length > spans.length ? [[0, line.length]] : spans;
  };

function spansOf(text: string, word: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
    const end = at + word.length;
    const isWhole =
      !(isLetter(word[0]) && isLetter(text[at - 1])) && !(isLetter(word.at(-1)) && isLetter(text[end]));
    if (isWhole) spans.push([at, end]);
  }
  return spans;
}

/** The line with every span replaced; spans may overlap. */
export function masked(line: string, spans: readonly Span[], by: string): string {
  let [text, from] = ["", 0];
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    if (end <= from) continue;
    if (start >= from) text += line.slice(from, start) + by;
    from = end;
  }
  return text + line.slice(from);
}

export type CheckedLine =
  | { readonly kind: "said"; readonly line: string }
  | { readonly kind: "blocked"; readonly check: TextCheck };

/**
 * How many characters of a line belong to a match that began in the text before it, which was already sent: a model may call a
 * tool in the middle of a word. Some clients show the two as one text, others as two.
 */
function continuedTo(before: string, line: string, find: FindSpans): number {
  if (before === "") return 0;
  const ends = ["", " "].flatMap((joint) => {
    const start = before.length + joint.length;
    const spans = find(before + joint + line).filter(([from, end]) => from < before.length && end > start);
    return spans.map(([, end]) => end - start);
  });
  return Math.max(0, ...ends);
}

const LONGEST_BEFORE = 1_000; // a longer match across a tool call is not looked for

/** The text that the next one continues: its unfinished line. */
export const unfinishedLine = (text: string): string =>
  text.slice(text.lastIndexOf("\n") + 1).slice(-LONGEST_BEFORE);

/** Masks and blocks, in this order of strictness: one that blocks wins over every mask. `before` was already sent. */
export function checkLine(line: string, checks: readonly CompiledCheck[], before = ""): CheckedLine {
  const found = checks.filter(({ check, find }) => check.effect !== "ask" && isFound(line, find, before));
  const blocks = found.find(({ check }) => check.effect === "block");
  if (blocks) return { kind: "blocked", check: blocks.check };
  const said = found.reduce((text, { check, find }) => {
    const by = check.words ?? MASKED;
    const continued = continuedTo(before, text, find);
    const rest = text.slice(continued);
    return (continued > 0 ? by : "") + masked(rest, find(rest), by);
  }, line);
  return { kind: "said", line: said };
}

const isFound = (line: string, find: FindSpans, before: string): boolean =>
  find(line).length > 0 || continuedTo(before, line, find) > 0;

/** The check that requires a person to read this text first. */
export const asksAbout = (
  text: string,
  checks: readonly CompiledCheck[],
  before = "",
): TextCheck | undefined =>
  checks.find(
    ({ check, find }) =>
      check.effect === "ask" &&
      text.split("\n").some((line, at) => isFound(line, find, at === 0 ? before : "")),
  )?.check;

const FOUND: Readonly<Record<TextKind, string>> = {
  email: "an e-mail address",
  credit_card: "a credit card number",
  phone: "a phone number",
  secret: "a key or a token",
};
const DONE: Readonly<Record<TextEffect, string>> = {
  mask: "Mask",
  block: "Block an answer with",
  ask: "Ask before sending",
};

/** The check in words. */
export function checkSentence({ find, effect }: Pick<TextCheck, "find" | "effect">): string {
  const what =
    "kind" in find
      ? FOUND[find.kind]
      : "words" in find
        ? find.words.map((word) => `"${word}"`).join(", ")
        : "model" in find
          ? `what ${find.model} finds: ${find.prompt}`
          : `text like ${find.pattern}`;
  return `${DONE[effect]} ${what}.`;
}
