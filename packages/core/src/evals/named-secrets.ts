/**
 * Secrets that only what stands before them gives away: a field's name, `password: ...`, a header, an address with a
 * password in it; and private keys, which span lines. What has a form of its own is found by its kind.
 */
import type { Span } from "../text-checks/text-check.ts";

const SECRET_NAME =
  /^token$|(?:^|_)(?:pass(?:word|wd|phrase|code)?s?|pwd|secrets?|(?:api|private|secret|access|signing|encryption|master|account|ssh|shared)_?keys?|(?:access|refresh|auth|id|session|bearer|api|csrf|bot|user|client)_?tokens?|bearer|authorization|(?:set_)?cookies?|credentials?|cvv|cvc)$/;

/** Fields whose value is a secret whatever it looks like: `apiKey`, `db_password`, `X-Api-Key`. */
export const isSecretField = (name: string): boolean =>
  SECRET_NAME.test(
    name
      .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
      .replaceAll(/[\s.-]+/g, "_")
      .toLowerCase(),
  );

interface Pattern {
  /** Its last group is the secret; the one before, if there are two, the name that makes it one. */
  readonly find: RegExp;
  readonly isIt?: (value: string) => boolean;
}

/** Prose has names before ordinary words: `password: required`. */
const hasDigit = (value: string): boolean => /\d/.test(value);

const PATTERNS: readonly Pattern[] = [
  { find: /(-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$))/dg },
  { find: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"']{0,200}:([^\s/@"']{1,200})@/dgi },
  { find: /\b(?:hooks\.slack\.com\/services|discord(?:app)?\.com\/api\/webhooks)\/([^\s"'<>]{20,})/dgi },
  { find: /\b(?:set-)?cookie:[ \t]*([^\r\n]+)/dgi },
  { find: /\b(?:bearer|basic)[ \t]+([A-Za-z0-9._~+/=-]{12,})/dgi, isIt: hasDigit },
  // In JSON, also where the JSON is a text in JSON.
  { find: /["']([\w .-]{1,60})\\*["']\s*:\s*\\*["']((?:[^"'\\\n]|\\[^"'\n])+)/dg },
  {
    find: /\b([A-Za-z][\w.-]{1,60})(?:[ \t]*[=:][ \t]*|[ \t]+is[ \t]+)(?!\/\/)["']?([^\s"'&;,<>()]{6,})/dg,
    isIt: hasDigit,
  },
];

/** Where such secrets are in a text. */
export const namedSecrets = (text: string): readonly Span[] =>
  PATTERNS.flatMap(({ find, isIt = () => true }) =>
    [...text.matchAll(find)].flatMap((found) => {
      const [name, value = name] = found.slice(1);
      const isNamed = found.length === 2 || isSecretField(name ?? "");
      const span = found.indices?.at(-1);
      return span && isNamed && isIt(value ?? "") ? [span as Span] : [];
    }),
  );
