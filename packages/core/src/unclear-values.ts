/** Values in JSON that `JSON.parse` changes or that no store accepts: numbers out of range, and lone surrogates. */
import { endOfJsonString } from "./unclear-json.ts";

const SUSPECT = /\\u[dD]|\d{16}|\d[eE]/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** The first such value, as a sentence; undefined for unambiguous text and for text that is not JSON. */
export function unclearValue(text: string): string | undefined {
  if (!SUSPECT.test(text)) return undefined;
  for (let at = 0; at < text.length; at++) {
    const isString = text[at] === '"';
    const end = isString ? endOfJsonString(text, at) : endOfNumber(text, at);
    const token = text.slice(at, end + (isString ? 1 : 0));
    const fault = isString ? halfCharacter(token) : lostDigits(token);
    if (fault !== undefined) return fault;
    at = isString ? end : Math.max(at, end - 1);
  }
  return undefined;
}

function endOfNumber(text: string, at: number): number {
  NUMBER.lastIndex = at;
  return at + (NUMBER.exec(text)?.[0].length ?? 0);
}

function halfCharacter(token: string): string | undefined {
  if (!/\\u[dD]/.test(token)) return undefined;
  try {
    const value: string = JSON.parse(token);
    return value.isWellFormed() ? undefined : "a text contains half a character (a lone surrogate)";
  } catch {
    return undefined; // the text is not JSON, which is reported when it is parsed
  }
}

/** Numbers as JavaScript itself writes them are accepted, even above 2^53: the sender has no more digits either. */
function lostDigits(token: string): string | undefined {
  if (token === "") return undefined;
  const value = Number(token);
  const shown = token.slice(0, 40);
  if (!Number.isFinite(value)) return `${shown} is larger than any number`;
  return isRounded(token) ? `${shown} has more digits than a number keeps; send it as a text` : undefined;
}

function isRounded(token: string): boolean {
  if (!/^-?\d{16,}$/.test(token)) return false;
  const value = Number(token);
  return Number.isFinite(value) && String(value) !== token && BigInt(value) !== BigInt(token);
}

/** For input whose sender cannot be asked: an integer that would be rounded becomes the text of its digits. */
export const parseKeepingDigits = (text: string): unknown =>
  JSON.parse(text, (_key, value: unknown, at?: { readonly source?: string }) =>
    typeof value === "number" && at?.source !== undefined && isRounded(at.source) ? at.source : value,
  );
