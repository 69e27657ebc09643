/** What third-party tools read and write if they do not declare it: derived from their hints, scopes and names. */
import type { JsonSchema } from "../schema.ts";
import type { DataRead, DataWrite } from "./data-flow.ts";

export interface ToolHints {
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  /** Whether it deals with an open world of others; the protocol's default is true. */
  readonly openWorldHint?: boolean | undefined;
}

const READING =
  /^(get|list|ls|read|search|find|fetch|query|describe|show|view|count|stat|lookup|browse|inspect|check|diff|grep|retrieve|crawl|scrape|extract|research)$/;
const READING_AT_END = /^(search|lookup|query)$/;
const WRITING =
  /^(create|update|delete|post|send|add|reply|push|merge|fork|set|remove|edit|write|move|close|open|assign|put|patch|insert|upload|submit|publish|react)$/;

/** What people of anywhere write, and the web: its reader's credential does not make it trustworthy. */
const OF_OTHERS =
  /^(?:(?:e|g)?mail|message|chat|inbox|comment|issue|post|feed|channel|thread|reply|replie|review|ticket|discussion|notification|conversation|tweet|pull|commit|content|wiki|gist|new|web|page|crawl|scrape|extract|site|url)(?:s|es|box|boxes)?$/;

/**
 * A tool of an MCP server. Without a hint, one with a credential answers with its owner's data and one without with what
 * anyone may have written; a name that begins with a reading verb counts as read-only.
 */
export function hintedFlow(
  name: string,
  hints: ToolHints = {},
  usesSecrets = false,
): { reads: readonly DataRead[]; writes: readonly DataWrite[] } {
  const words = wordsOf(name);
  const isOpen = hints.openWorldHint ?? (!usesSecrets || (!isWriting(words) && readsOthers(words)));
  const readsOnly = hints.readOnlyHint ?? (hints.destructiveHint !== true && isReading(words));
  const place: DataWrite = hints.openWorldHint === false ? "internal" : "external";
  return {
    reads: [
      ...(isOpen ? ["untrusted" as const] : []),
      ...(usesSecrets || !isOpen ? ["private" as const] : []),
    ],
    writes: readsOnly ? [] : hints.destructiveHint === true ? [place, "irreversible"] : [place],
  };
}

const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean);

const isWriting = ([first = ""]: readonly string[]): boolean => WRITING.test(first);
const isReading = (words: readonly string[]): boolean =>
  READING.test(words[0] ?? "") || (!isWriting(words) && READING_AT_END.test(words.at(-1) ?? ""));
const readsOthers = (words: readonly string[]): boolean => words.some((word) => OF_OTHERS.test(word));

/** Names without the word that all begin with, such as the server's own, unless it says what they do. */
export function withoutSharedWord(names: readonly string[]): readonly string[] {
  const [first = ""] = wordsOf(names[0] ?? "");
  const isVerb = READING.test(first) || WRITING.test(first);
  const isShared = names.length > 1 && names.every((name) => wordsOf(name)[0] === first);
  return isShared && !isVerb ? names.map((name) => wordsOf(name).slice(1).join("_")) : names;
}

/** What a request with a credential brings in, by its address. */
export const endpointReads = (path: string): readonly DataRead[] =>
  readsOthers(wordsOf(path)) ? ["private", "untrusted"] : ["private"];

/** A scope guards its user's private data; mail and messages are also written by others. */
export const scopedReads = (scopes: readonly string[]): readonly DataRead[] =>
  scopes.length === 0 ? [] : endpointReads(scopes.join(" "));

const ADDRESS = /^(?:(?:page|target|start|web|site|source)_?)?(?:url|uri|urls|uris|link|links|href)$/i;

/** Whether a call names the address that is read, which could carry data out. */
export const takesAddress = ({ properties }: JsonSchema): boolean =>
  typeof properties === "object" &&
  properties !== null &&
  Object.keys(properties).some((name) => ADDRESS.test(name));
