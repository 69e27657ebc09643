/** What third-party tools read and write if they do not declare it: derived from their hints, scopes and names. */
import type { DataRead, DataWrite } from "./data-flow.ts";

export interface ToolHints {
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  /** Whether it deals with an open world of others; the protocol's default is true. */
  readonly openWorldHint?: boolean | undefined;
}

const READING =
  /^(get|list|ls|read|search|find|fetch|query|describe|show|view|count|stat|lookup|browse|inspect|check|diff|grep)$/;

/**
 * A tool of an MCP server. Without a hint, one with a credential answers with its owner's data and one without with what
 * anyone may have written; a name that begins with a reading verb counts as read-only.
 */
export function hintedFlow(
  name: string,
  hints: ToolHints = {},
  usesSecrets = false,
): { reads: readonly DataRead[]; writes: readonly DataWrite[] } {
  const isOpen = hints.openWorldHint ?? !usesSecrets;
  const readsOnly = hints.readOnlyHint ?? (hints.destructiveHint !== true && hasReadingName(name));
  const place: DataWrite = hints.openWorldHint === false ? "internal" : "external";
  return {
    reads: [
      ...(isOpen ? ["untrusted" as const] : []),
      ...(usesSecrets || !isOpen ? ["private" as const] : []),
    ],
    writes: readsOnly ? [] : hints.destructiveHint === true ? [place, "irreversible"] : [place],
  };
}

const hasReadingName = (name: string): boolean =>
  READING.test(
    name
      .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
      .toLowerCase()
      .split(/[^a-z]+/)
      .find(Boolean) ?? "",
  );

const OF_OTHERS = /mail|message|chat|inbox|comment|issue|post|feed|channel/i;

/** A scope guards its user's private data; mail and messages are also written by others. */
export function scopedReads(scopes: readonly string[]): readonly DataRead[] {
  if (scopes.length === 0) return [];
  return scopes.some((scope) => OF_OTHERS.test(scope)) ? ["private", "untrusted"] : ["private"];
}
