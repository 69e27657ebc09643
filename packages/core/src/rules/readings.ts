/**
 * Other ways to read a text: what a mail program, a browser, a file system or a person takes it for. Where a rule holds for one
 * reading and not for another, the text cannot be compared, so it never helps a call: see `comparisons.ts`.
 */
import { plainText } from "../plain-text.ts";
import { normalisePath } from "../session-path.ts";

export interface Readings {
  /** As written, in lower case. */
  readonly lower: string;
  /** In lower case, too; empty for most texts. */
  readonly others: readonly string[];
}

// Many rules compare the same few texts in a row: each is read once.
const MOST_KEPT = 16;
const kept = new Map<string, Readings>();
const keptNames = new Map<string, readonly string[]>();
const keptAddresses = new Map<string, readonly string[] | undefined>();

export const readingsOf = (text: string): Readings => keep(kept, text, readText);
/** Of the mail addresses in a text, or of the text if it has none; undefined when they are not clear. */
export const addressesIn = (text: string): readonly string[] | undefined =>
  keep(keptAddresses, text, readAddresses);

/** Spellings under which two texts count as nearly equal: without letter case, as a number, as a normalised path. */
export const namesOf = (text: string): readonly string[] => keep(keptNames, text, readNames);

function keep<T>(known: Map<string, T>, text: string, read: (text: string) => T): T {
  if (known.has(text)) return known.get(text) as T;
  if (known.size >= MOST_KEPT) known.clear();
  const made = read(text);
  known.set(text, made);
  return made;
}

const UNUSUAL = /[^\x20-\x7e]|^ | $| {2}|%[0-9a-f]{2}/i;
const ADDRESS = /^\s*(?:https?|wss?|ftp|file):/i;
const UNUSUAL_PATH = /^\/(?:.*\/)?\.{0,1}(?:\/|$)/;
const LONGEST_ADDRESS = 10_000;

function readText(text: string): Readings {
  const lower = text.toLowerCase();
  const others = new Set<string>();
  if (UNUSUAL.test(text)) others.add(plain(text)).add(plain(decoded(text)));
  if (ADDRESS.test(text) && text.length < LONGEST_ADDRESS) others.add(browsed(text));
  const path = UNUSUAL_PATH.test(text) ? normalisePath(text) : undefined;
  if (path?.ok) others.add(path.value.toLowerCase());
  others.delete(lower);
  return { lower, others: [...others] };
}

/** Without letter case, invisible characters, special forms of letters and more than one space. */
export const plain = (text: string): string => plainText(text).toLowerCase().replaceAll(/\s+/g, " ").trim();

/** What percent signs stand for, also where the whole is not valid. */
export function decoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replaceAll(/%[0-7][0-9a-f]/gi, (code) =>
      String.fromCharCode(Number.parseInt(code.slice(1), 16)),
    );
  }
}

function readNames(text: string): readonly string[] {
  const { lower, others } = readingsOf(text);
  const number = /^\s*[-+]?\.?\d/.test(text) ? Number(text) : Number.NaN;
  const path = text.includes("://") ? undefined : normalisePath(text);
  return [
    lower,
    ...others,
    ...(Number.isNaN(number) ? [] : [String(number)]),
    ...(path?.ok ? [path.value.toLowerCase()] : []),
  ];
}

/** Browsers leave out tabs and line breaks, turn backslashes and decode hosts. */
function browsed(text: string): string {
  if (!URL.canParse(text)) return plain(text);
  const { href } = new URL(text);
  return (text.endsWith("/") ? href : href.replace(/\/$/, "")).toLowerCase();
}

const ONE_ADDRESS = /^[^\s@,;:<>()[\]"%!\\]+@[^\s@,;:<>()[\]"%!\\]+$/;
const NAMED_ADDRESS = /^"?[^"<>@,;()\\]*"?\s*<([^<>]+)>$/;

function readAddresses(text: string): readonly string[] | undefined {
  const meant = plainText(text).replaceAll("。", "."); // a dot of domain names, too
  if (!meant.includes("@")) return [meant.toLowerCase()];
  const found: string[] = [];
  for (const part of meant.split(/[,;\n]/)) {
    const trimmed = part.trim();
    if (trimmed === "") continue;
    const address = (NAMED_ADDRESS.exec(trimmed)?.[1] ?? trimmed).trim();
    if (!ONE_ADDRESS.test(address)) return undefined;
    found.push(...spellingsOf(address.toLowerCase().replace(/\.$/, "")));
  }
  return found;
}

/** Mail to `ada+news@example.com` reaches `ada@example.com`, too. */
const spellingsOf = (address: string): string[] => {
  const untagged = address.replace(/\+[^@]*@/, "@");
  return untagged === address ? [address] : [address, untagged];
};
