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
  const found = known.get(text);
  if (found !== undefined || known.has(text)) return found as T;
  if (known.size >= MOST_KEPT) known.clear();
  const made = read(text);
  known.set(text, made);
  return made;
}

const UNUSUAL = /[^\x20-\x7e]|^ | $| {2}|%[0-9a-f]{2}/i;
const ADDRESS = /^\s*(?:https?|wss?|ftp|file):/i;
const UNUSUAL_PATH = /^\/(?:.*\/)?\.{0,1}(?:\/|$)/;
const LINE_BREAKS = /[\t\n\r]+/g;
const LONGEST_ADDRESS = 10_000;

function readText(text: string): Readings {
  const lower = text.toLowerCase();
  const others = new Set<string>();
  const unbroken = text.replaceAll(LINE_BREAKS, "");
  if (UNUSUAL.test(text)) others.add(plain(text)).add(plain(decoded(text)));
  if (unbroken !== text) others.add(plain(unbroken));
  if (text.length < LONGEST_ADDRESS && ADDRESS.test(unbroken))
    for (const each of addressReadings(unbroken)) others.add(each);
  const path = UNUSUAL_PATH.test(text) ? normalisePath(text) : undefined;
  if (path?.ok) others.add(path.value.toLowerCase());
  others.delete(lower);
  return { lower, others: [...others] };
}

/** Without invisible characters and special forms of letters and full stops, in lower case. */
export const plainLetters = (text: string): string => plainText(text).toLowerCase().replaceAll("。", ".");

/** Also without more than one space. */
export const plain = (text: string): string => plainLetters(text).replaceAll(/\s+/g, " ").trim();

const MOST_DECODED = 3; // a text that is encoded more often stays as it is then

/** What percent signs stand for, also where the whole is not valid, and where it is encoded more than once. */
export function decoded(text: string): string {
  let known = text;
  for (let times = 0; times < MOST_DECODED && known.includes("%"); times++) {
    const next = decodedOnce(known);
    if (next === known) break;
    known = next;
  }
  return known;
}

function decodedOnce(text: string): string {
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

/** As a browser reads an address, as a server does that decodes it or cuts what follows a semicolon, and without its user. */
const addressReadings = (text: string): readonly string[] => [
  browsed(text),
  browsed(decoded(text)),
  ...(text.includes(";") ? [browsed(decoded(text).replaceAll(/;[^/?#]*/g, ""))] : []),
];

/** Browsers leave out tabs and line breaks, turn backslashes and decode hosts. Neither user nor fragment says what is read. */
function browsed(text: string): string {
  if (!URL.canParse(text)) return plain(text);
  const url = new URL(text);
  url.username = "";
  url.password = "";
  url.hash = "";
  const href = url.href.replace(/\?$/, "");
  return (text.endsWith("/") ? href : href.replace(/\/$/, "")).toLowerCase();
}

const HOST_IN = /^((?:[a-z][a-z0-9+.-]*:\/\/|@)?)([^\s/@:]+\.[^\s/@:]+)(.*)$/s;
const IS_ASCII = /^[\0-\x7f]*$/;

/** A rule's value, and the same with its host in the form that the network uses. */
export function spellingsOfValue(value: string): readonly string[] {
  const [, before = "", host, after = ""] = IS_ASCII.test(value) ? [] : (HOST_IN.exec(value) ?? []);
  const address = `https://${host}`;
  if (host === undefined || !URL.canParse(address)) return [value];
  return [value, `${before}${new URL(address).hostname}${after}`];
}

const ONE_ADDRESS = /^[^\s@,;:<>()[\]"%!\\]+@[^\s@,;:<>()[\]"%!\\]+$/;
const NAMED_ADDRESS = /^"?[^"<>@,;()\\]*"?\s*<([^<>]+)>$/;

function readAddresses(text: string): readonly string[] | undefined {
  const meant = plainText(text).replaceAll("。", ".");
  if (!meant.includes("@")) return [meant.toLowerCase()];
  const found: string[] = [];
  // A quoted name may have a comma, but no address.
  for (const part of meant.replaceAll(/"[^"<>@\\]*"\s*(?=<)/g, "").split(/[,;\n]/)) {
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

const UNCLEAR_PATH = /^~|^[a-z][a-z0-9+.-]*:|^\/\/[?.]\/|::|;|^\/proc\/[^/]+\/(?:root|cwd|fd)(?:\/|$)/i;
/** Windows leaves out dots and spaces at the end of a name. */
const UNCLEAR_NAME = /[. ](?:\/|$)/;
const ENCODED = /%[89a-f][0-9a-f]/i;

export interface ReadPath {
  readonly written: string;
  /** As a file system reads it that ignores letter case, or a program that decodes percent signs. */
  readonly plain: string;
}

// A call's path is compared with many folders in a row: it is read once.
let last: { readonly text: string; readonly path: ReadPath | undefined } | undefined;
/** Undefined where it is unclear where it leads. */
export function readPath(path: string): ReadPath | undefined {
  if (last?.text !== path) last = { text: path, path: readPathOnce(path) };
  return last.path;
}

function readPathOnce(path: string): ReadPath | undefined {
  const meant = decoded(path);
  const isUnclear = [path, meant].some((each) => UNCLEAR_PATH.test(each)) || ENCODED.test(meant);
  if (path === "" || isUnclear) return undefined;
  const names = plainLetters(meant).replaceAll(/(^|\/)\.(?=\/|$)/g, "$1");
  const [written, read] = [normalOrNone(path), normalOrNone(names)];
  if (written === undefined || read === undefined || UNCLEAR_NAME.test(names)) return undefined;
  return { written, plain: plain(read) };
}

const MAY_BE_PATH = /^\s*(?:[\\/~.]|[a-z]:|%)|^file:/i;
const keptUnclear = new Map<string, boolean>();
/** Whether a text may be a path, and one of which it is unclear where it leads. */
export const isUnclearPath = (text: string): boolean =>
  keep(keptUnclear, text, () => MAY_BE_PATH.test(text) && readPath(text) === undefined);

export function normalOrNone(path: string): string | undefined {
  const normal = normalisePath(path);
  return normal.ok ? normal.value : undefined;
}
