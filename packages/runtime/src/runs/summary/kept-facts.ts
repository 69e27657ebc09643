/** Reads from messages what a summary must not paraphrase: task lists, files and decisions. */
import type { JsonValue } from "@capstan/core";
import { type ConversationMessage, type FilePart, toolCallsOf } from "@capstan/core/internal";
import type { KeptFacts } from "./session-summary.ts";

const MOST_DECISIONS = 100;
const MOST_DECISION_CHARS = 500;
const MOST_FILES = 200;
const MOST_LIST_CHARS = 20_000;
const PATH_FIELDS = ["path", "file_path", "filePath", "file", "filename", "source", "destination"];
const LONGEST_PATH = 300;

export interface FactSource {
  /** The messages that the summary replaces. */
  readonly covered: readonly ConversationMessage[];
  /** The messages that stay. */
  readonly rest: readonly ConversationMessage[];
  /** From the previous summary. */
  readonly before: KeptFacts;
  /** Tools where each call replaces the previous one. */
  readonly replacing: ReadonlySet<string>;
  /** Newly made, oldest first. */
  readonly decisions: readonly string[];
}

export function keptFacts({ covered, rest, before, replacing, decisions }: FactSource): KeptFacts {
  return {
    lists: listsIn(covered, rest, before, replacing),
    decisions: unique([
      ...before.decisions,
      ...decisions.map((text) => text.slice(0, MOST_DECISION_CHARS)),
    ]).slice(-MOST_DECISIONS),
    files: unique([...before.files, ...covered.flatMap(filesIn)]).slice(-MOST_FILES),
  };
}

/** The last call of each, unless a later message replaces it. */
function listsIn(
  covered: readonly ConversationMessage[],
  rest: readonly ConversationMessage[],
  before: KeptFacts,
  replacing: ReadonlySet<string>,
): KeptFacts["lists"] {
  const last = new Map<string, JsonValue>(before.lists.map(({ tool, input }) => [tool, input]));
  for (const { toolName, input } of covered.flatMap(toolCallsOf))
    if (replacing.has(toolName)) last.set(toolName, input);
  for (const { toolName } of rest.flatMap(toolCallsOf)) last.delete(toolName);
  return [...last]
    .filter(([, input]) => JSON.stringify(input).length <= MOST_LIST_CHARS)
    .map(([tool, input]) => ({ tool, input }));
}

function filesIn(message: ConversationMessage): string[] {
  if (message.role === "user")
    return message.content.flatMap((part) => (part.type === "file" ? (attachmentName(part) ?? []) : []));
  return toolCallsOf(message).flatMap(({ input }) => pathsIn(input));
}

function attachmentName({ source, filename }: FilePart): string | undefined {
  if (source.type === "session") return source.path;
  return source.type === "url" ? source.url : filename;
}

function pathsIn(input: JsonValue): string[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [];
  const fields = input as Readonly<Record<string, JsonValue>>;
  return PATH_FIELDS.flatMap((field) => {
    const value = fields[field];
    return typeof value === "string" && value.length <= LONGEST_PATH ? [value] : [];
  });
}

/** The last mention counts, so that the most recent survive a limit. */
const unique = (values: readonly string[]): string[] => [...new Set(values.toReversed())].toReversed();

const HEADING = /^#{1,6}\s+/;
const DECISIONS = /^#{1,6}\s+\**decisions\b/i;

/** The model's answer without its section of decisions, and the decisions, one a line. */
export function withoutDecisions(answer: string): { readonly text: string; readonly decisions: string[] } {
  const text: string[] = [];
  const decisions: string[] = [];
  let isInside = false;
  for (const line of answer.split("\n")) {
    if (HEADING.test(line)) isInside = DECISIONS.test(line);
    if (!isInside) text.push(line);
    else if (!HEADING.test(line) && line.trim() !== "")
      decisions.push(line.replace(/^\s*(?:[-*]|\d+\.)\s+/, "").trim());
  }
  return { text: text.join("\n").trim(), decisions: decisions.filter((each) => !/^none\.?$/i.test(each)) };
}
