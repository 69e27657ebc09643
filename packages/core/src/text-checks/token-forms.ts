/**
 * What keys and tokens look like. Those whose form is known are listed; any other is a word, a separator and a long random text
 * (`glsa_x7Kq...`), whoever issues it. Hashes, UUIDs and names of files are none: they are one case, or words.
 */
import type { Span } from "./text-check.ts";

/** In RE2's syntax, like all patterns of text checks. */
const KNOWN_FORMS: readonly string[] = [
  "\\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}",
  "\\bgh[pousr]_[A-Za-z0-9]{20,}",
  "\\b(?:AKIA|ASIA)[0-9A-Z]{16}\\b",
  "\\bxox[abeprs]-[A-Za-z0-9-]{10,}",
  "\\beyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{5,}",
  "-----BEGIN [A-Z ]*PRIVATE KEY-----",
  "\\bAIza[A-Za-z0-9_-]{30,}",
  "\\bya29\\.[A-Za-z0-9_-]{20,}",
  "\\bSG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}",
  "\\bhv[bs]\\.[A-Za-z0-9_-]{20,}",
  "\\bSK[0-9a-f]{32}\\b",
  "\\b(?:npm|hf|gsk)_[A-Za-z0-9]{30,}",
  "\\b(?:xai|tvly|xapp|pypi)-[A-Za-z0-9_-]{30,}",
  "\\bgithub_pat_[A-Za-z0-9_]{22,}",
  "\\bgl(?:pat|dt|rt|ptt|ft)-[A-Za-z0-9_-]{20,}",
  "\\b(?:shp(?:at|ca|pa|ss)|[a-z]{3}_v1|sbp)_[0-9a-f]{32,}",
  "\\b(?:dapi|key-)[0-9a-f]{32}\\b",
  "\\bwhsec_[A-Za-z0-9+/=_-]{20,}",
  "\\b(?:GOCSPX|NRAK)-[A-Za-z0-9_-]{20,}",
  "\\bdckr_pat_[A-Za-z0-9_-]{20,}",
  "\\bpat[A-Za-z0-9]{14}\\.[0-9a-f]{64}\\b",
  "\\bATATT3[A-Za-z0-9_=-]{60,}",
  "\\bAGE-SECRET-KEY-1[0-9A-Z]{50,}",
  "\\b[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}", // Telegram
  "\\b[MNO][A-Za-z0-9_-]{22,28}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,}", // Discord
  "\\b(?:cap|agent|run|access|refresh|code|scim|login|owner)_(?:[a-z][a-z0-9-]{1,29}\\.)?[A-Za-z0-9_-]{43}\\b", // Capstan's own
];
const ANY_FORM = "\\b[A-Za-z][A-Za-z0-9]{1,16}[-_.][A-Za-z0-9_.=-]{30,}";

export const TOKEN_PATTERN = [...KNOWN_FORMS, ANY_FORM].join("|");
const KNOWN = new RegExp(KNOWN_FORMS.join("|"), "g");

/** Where the tokens are in what the pattern found. */
export function tokensIn(found: string): readonly Span[] {
  const known = [...found.matchAll(KNOWN)].map(({ 0: text, index }): Span => [index, index + text.length]);
  if (known.length > 0) return known;
  return isRandom(found.replace(/^[A-Za-z][A-Za-z0-9]{1,16}[-_.]/, "")) ? [[0, found.length]] : [];
}

const SHORTEST_PIECE = 16; // of a random text that may contain separators
const SHORTEST_TEXT = 30; // ids of 26 or 27 letters name things

/** Its longest piece changes between small letters, capitals and digits as often as chance does. */
function isRandom(text: string): boolean {
  const pieces = text.split(/[-_.=]+/);
  const piece = pieces.reduce((longest, each) => (each.length > longest.length ? each : longest), "");
  if (piece.length < SHORTEST_PIECE || pieces.join("").length < SHORTEST_TEXT) return false;
  if (!/[a-z]/.test(piece) || !/[A-Z]/.test(piece) || !/\d/.test(piece)) return false;
  const kinds = [...piece].map((char) =>
    /\d/.test(char) ? "digit" : /[a-z]/.test(char) ? "small" : "capital",
  );
  const changes = kinds.filter((kind, at) => at > 0 && kind !== kinds[at - 1]).length;
  return changes / piece.length > 0.3; // by chance 0.6; in words of code 0.2
}
