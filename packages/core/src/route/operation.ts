/**
 * What a web operation declares beyond its words: method, path and path parameters. "list the issues", "show issue 4" and
 * "delete issue 4" have nearly the same words; GET or DELETE, and a place for the 4, tell them apart.
 */
import { identifierWords, isStopTerm, terms, words } from "./text.ts";

export interface Endpoint {
  readonly method: string;
  /** With `{name}` for parameters. */
  readonly path: string;
}

interface PathParameter {
  readonly name: string;
  /** What people call the thing: "pod" for `/pods/{name}`, "droplet" for `{droplet_id}`. */
  readonly nouns: readonly string[];
}

const METHODS: Readonly<Record<"read" | "create" | "change" | "delete", readonly string[]>> = {
  read: ["GET", "HEAD"],
  create: ["POST", "PUT"],
  change: ["PATCH", "PUT", "POST"],
  delete: ["DELETE"],
};
/** The first of these verbs in a task decides the method; other verbs occur in the path, if anywhere. */
const VERBS: readonly (readonly [keyof typeof METHODS, string])[] = [
  [
    "read",
    "list show get read fetch retrieve display view see what which who where how search find look describe check count print lookup download",
  ],
  ["create", "create add make new post register send open start invite upload insert submit save put"],
  ["change", "update edit change modify rename set replace patch enable disable adjust"],
  ["delete", "delete remove destroy cancel erase drop revoke unfollow unstar clear uninstall"],
];
const kindOfVerb = new Map(
  VERBS.flatMap(([kind, verbs]) => verbs.split(" ").map((verb) => [verb, kind] as const)),
);

/** 1 when the method matches the task's verb, -1 when it is of another kind, 0 when the verb is neutral. */
export function methodFit(task: string, method: string): number {
  const verb = words(task).find((word) => kindOfVerb.has(word));
  const kind = verb === undefined ? undefined : kindOfVerb.get(verb);
  if (kind === undefined) return 0;
  if (METHODS[kind][0] === method) return 1;
  return METHODS[kind].includes(method) ? 0.5 : -1;
}

/** "star", "refund", "merge": a first word that is a path segment asks for an action, not for display. */
const deedFit = (method: string): number => (/^(POST|PUT|PATCH)$/.test(method) ? 0.5 : -0.5);

const NOT_SAID = /^(v\d+(?:(?:alpha|beta)\d*)?|api|apis|rest)$/i;

interface ReadPath {
  /** The words of its fixed parts, without versions. */
  readonly fixed: readonly (readonly string[])[];
  readonly parameters: readonly PathParameter[];
}

const readPaths = new Map<string, ReadPath>();
const MOST_READ = 10_000; // some large documents; an evicted path is parsed again

function readPath(path: string): ReadPath {
  const known = readPaths.get(path);
  if (known) return known;
  if (readPaths.size >= MOST_READ) readPaths.clear();
  const read = { fixed: pathTerms(path), parameters: pathParameters(path) };
  readPaths.set(path, read);
  return read;
}

const pathTerms = (path: string): string[][] =>
  path
    .split("/")
    .filter((part) => part !== "" && !part.includes("{") && !NOT_SAID.test(part))
    .map((part) => terms(identifierWords(part)));

function pathParameters(path: string): PathParameter[] {
  const parts = path.split("/");
  return parts.flatMap((part, at) => {
    const name = /^\{([^{}]+)\}$/.exec(part)?.[1];
    if (name === undefined) return [];
    const before = parts[at - 1] ?? "";
    const own = words(identifierWords(name)).filter(
      (word) => !/^(id|ids|name|number|slug|exposed|key)$/.test(word),
    );
    const said = before.includes("{") ? [] : words(identifierWords(before));
    return [{ name, nouns: [...new Set([...own, ...said.slice(-1).map(singular)])] }];
  });
}

const singular = (word: string): string =>
  word
    .replace(/ies$/, "y")
    .replace(/(?<=s|x|z|ch|sh)es$/, "")
    .replace(/(?<!s)s$/, "");

/** Path values in the task: "octocat/hello-world" for two consecutive ones, "pod web-0" by the name of the thing. */
export function pathValues(task: string, path: string, { guess = false } = {}): Map<string, string> {
  const { parameters, fixed: parts } = readPath(path);
  const values = new Map<string, string>();
  const fixed = new Set(parts.flat());
  const [, first, second] = /\{([^{}]+)\}\/\{([^{}]+)\}/.exec(path) ?? [];
  const pair = PAIR.exec(task);
  if (first !== undefined && second !== undefined && pair?.[1] !== undefined && pair[2] !== undefined) {
    values.set(first, pair[1]).set(second, pair[2]);
  }
  for (const { name, nouns } of parameters) {
    const value = values.has(name) ? undefined : nouns.map((noun) => named(task, noun, fixed)).find(Boolean);
    if (value !== undefined) values.set(name, value);
  }
  const open = parameters.filter(({ name }) => !values.has(name));
  const [only, ...others] = guess ? leftOver(task, values.values()) : [];
  if (open[0] && open.length === 1 && only !== undefined && others.length === 0)
    values.set(open[0].name, only);
  return values;
}

/** Identifiers without a matching name. */
function leftOver(task: string, taken: Iterable<string>): string[] {
  const known = new Set(taken);
  return identifiersIn(task).filter((word) => !known.has(word));
}

const PAIR = /(?<![\w/.:-])([A-Za-z0-9][\w.-]*)\/([A-Za-z0-9][\w.-]*?)(?=[\s,;!?]|[.]?$|[.]\s)/;
/** Has a digit, a dash or an underscore: only an identifier looks like that. */
const IDENTIFIER_WORD = "(?=[\\w.:]*[\\d_-])\\w[\\w.:-]*";
const IDENTIFIER = new RegExp(`^${IDENTIFIER_WORD}$`);
const ABBREVIATION_CHARS = 4; // org, repo, env: people write the whole word
const BETWEEN = "(?:\\s+(?:with|number|id|nr|no|named|called))*\\s+#?[\"'`]?";

/** "pod web-0", "droplet with id 31", "namespace default", "the db-1 cluster". */
function named(task: string, noun: string, fixed: ReadonlySet<string>): string | undefined {
  const word = `\\b${noun}${noun.length <= ABBREVIATION_CHARS ? "\\w*" : "s?"}`;
  const [, after, next = ""] =
    new RegExp(`${word}${BETWEEN}(\\w[\\w.:@-]*)["'\`]?(?:\\s+(\\w+))?`, "i").exec(task) ?? [];
  const value = after?.replace(/[.:]+$/, "");
  const further = new RegExp(`${word}\\s+[a-z]+${BETWEEN}(${IDENTIFIER_WORD})`, "i").exec(task)?.[1];
  if (further !== undefined) return further.replace(/[.:]+$/, "");
  if (value !== undefined && (IDENTIFIER.test(value) || isName(value, next, fixed))) return value;
  const before = new RegExp(`([\\w][\\w.:-]*)["'\`]?\\s+${noun}\\b`, "i").exec(task)?.[1];
  return before !== undefined && IDENTIFIER.test(before) ? before : undefined;
}

/** A plain word is an identifier when nothing follows it, or a connecting word. */
function isName(word: string, next: string, fixed: ReadonlySet<string>): boolean {
  const [term = ""] = terms(word);
  const known =
    /^(?:called|named|titled|entitled)$/i.test(word) ||
    isStopTerm(term) ||
    kindOfVerb.has(word.toLowerCase()) ||
    fixed.has(term);
  return !known && (next === "" || isStopTerm(next.toLowerCase()));
}

/** Quoted texts, addresses, days and times of day. */
const NO_IDENTIFIER = /"[^"]*"|https?:\S+|\S+@\S+|\b\d{4}-\d{2}-\d{2}(?:T\S+)?|\b\d{1,2}:\d{2}(?::\d{2})?\b/g;

/** All identifiers in the task: each needs a place in the path or the body. */
function identifiersIn(task: string): string[] {
  const rest = task.replace(NO_IDENTIFIER, " ");
  const pairs = [...rest.matchAll(new RegExp(PAIR, "g"))].flatMap(([, first = "", second = ""]) => [
    first,
    second,
  ]);
  const single = rest.replace(new RegExp(PAIR, "g"), " ").split(/[\s,;!?]+/);
  return [
    ...pairs,
    ...single.map((word) => word.replace(/[.:]+$/, "")).filter((word) => IDENTIFIER.test(word)),
  ];
}

/** The task without its values: identifiers do not tell which operation is meant. */
export const withoutNames = (task: string): string =>
  task
    .replace(/"[^"]*"|https?:\S+|\S+@\S+/g, " ")
    .replace(/\b(?:called|named|titled)\s+.*?(?=[,.;]|\s(?:in|on|of|from|to|for|with|and)\s|$)/gi, " ")
    .replace(new RegExp(PAIR, "g"), " ")
    .replace(/(?<![\w-])(?=[\w.:-]*[\d_])[\w.:-]+/g, " ");

export interface OperationFit {
  readonly method: number;
  /** 0 when every path parameter has a value and every identifier a place; lower for each that does not. */
  readonly places: number;
  /** How many of the path's fixed segments the task does not mention. */
  readonly unsaid: number;
  /** How much of the last fixed segment the task mentions. */
  readonly end: number;
  /** 1 when both, or neither, are about the caller's own things. */
  readonly own: number;
  /** 1 when the task's first word is in the path: some operations are named "pause", "void", "search". */
  readonly verb: number;
}

const OWN = /\b(my|mine|our|me)\b/i;
const OWN_PART = /\/(user|me|my|self|account)(\/|$)/;

export function operationFit(task: string, { method, path }: Endpoint): OperationFit {
  const spoken = spokenTerms(task);
  const { fixed, parameters } = readPath(path);
  const share = (part: readonly string[]) =>
    part.filter((term) => spoken.some((said) => isSame(said, term))).length / Math.max(1, part.length);
  const filled = pathValues(task, path).size;
  const open = parameters.length - filled;
  const left = Math.max(0, identifiersIn(task).length - filled);
  const isDeed = fixed.some((part) => part.length === 1 && part[0] === spoken[0]);
  return {
    method: methodFit(task, method) || (isDeed ? deedFit(method) : 0),
    places: -Math.max(open, left) + 0.5 * Math.min(open, left), // one of these may be the value of one of those
    unsaid: -fixed.reduce((sum, part) => sum + 1 - share(part), 0),
    end: share(fixed.at(-1) ?? []),
    own: OWN.test(task) === OWN_PART.test(path) ? 1 : 0,
    verb: fixed.some((part) => part.some((term) => term === spoken[0])) ? 1 : 0,
  };
}

/** Its terms, and pairs joined: people write "config map" for `configmaps`. */
function spokenTerms(task: string): string[] {
  const all = terms(identifierWords(task));
  return [...all, ...all.slice(1).map((term, at) => `${all[at]}${term}`)];
}

/** "repo" for "repository": paths abbreviate. */
const isSame = (said: string, term: string): boolean =>
  said === term || (term.length >= 3 && term.length <= ABBREVIATION_CHARS && said.startsWith(term));
