/**
 * Which characters of a page's text need a backslash in Markdown. As few as possible: a model understands
 * `snake_case`, `[1]` and `2 * 3` as they are, and every needless backslash costs a token.
 */
import { decodeText } from "./entity.ts";

const PUNCTUATION = /[!-/:-@[-`{-~]/;
const WORD = /[\p{L}\p{N}]/u;
const REFERENCE = /#?\w{1,32};/y;
const LINE_START = /^(?:([-+])(?=\s|$)|(#{1,6})(?=\s|$)|(>)|(\d{1,9})([.)])(?=\s|$)|(={2,}|-{3,})$)/;
const MAY_START = /^[-+#>=\d]/;

/** The character as written inside a line; `before` and `after` are its neighbours in the source. */
export function escapeInline(char: string, before: string, after: string, inLink: boolean): string {
  return needsEscape(char, before, after, inLink) ? `\\${char}` : char;
}

function needsEscape(char: string, before: string, after: string, inLink: boolean): boolean {
  switch (char) {
    case "\\":
      return PUNCTUATION.test(after);
    case "*":
      return !(isBlank(before) && isBlank(after));
    case "_":
      return !(isBlank(before) && isBlank(after)) && !(WORD.test(before) && WORD.test(after));
    case "`":
      return true;
    case "[":
      return inLink;
    case "]":
      return inLink || after === "(" || after === "[" || after === ":";
    case "<":
      return /[a-zA-Z/!?]/.test(after);
    case "~":
      return before === "~" || after === "~";
    default:
      return false;
  }
}

/** An `&` that would be parsed as an entity again. */
export function startsReference(text: string, afterAmpersand: number): boolean {
  REFERENCE.lastIndex = afterAmpersand;
  const name = REFERENCE.exec(text)?.[0];
  return name !== undefined && decodeText(`&${name}`) !== `&${name}`;
}

/** Escapes the start of a line, so that it does not become a list, heading or quote. */
export function escapeLineStart(text: string): string {
  const first = text.charCodeAt(0);
  if (first > 62 || first < 35 || !MAY_START.test(text)) return text; // almost every line starts with a letter
  return text.replace(LINE_START, (found, _bullet, _hashes, _quote, number, delimiter) =>
    number === undefined ? `\\${found}` : `${number}\\${delimiter}`,
  );
}

function isBlank(char: string): boolean {
  return char === "" || /\s/.test(char);
}
