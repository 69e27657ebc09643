/**
 * What a client may do with the agent that a person gave it: every tool (`tools`), those that only read (`tools:read`), or
 * single ones (`tool:<name>`). Any other call is answered with the scopes to request, and the person decides again.
 */
import type { RuntimeTool } from "@capstan/core";
import { riskOf } from "@capstan/core/internal";

export const EVERY_TOOL = "tools";
export const READING_TOOLS = "tools:read";
const ONE_TOOL = /^tool:[\w.-]{1,128}$/;
/** Clients ask for it to get a refresh token; every client gets one. */
const IGNORED = "offline_access";

export const OFFERED_SCOPES = [EVERY_TOOL, READING_TOOLS] as const;

/** The scopes of a request; undefined when one is not ours. None means every tool: the person may allow less. */
export function readScopes(text: string | undefined): string[] | undefined {
  const words = (text ?? "").split(" ").filter((word) => word !== "" && word !== IGNORED);
  if (!words.every(isScope)) return undefined;
  return words.length === 0 ? [EVERY_TOOL] : [...new Set(words)];
}

export const isScope = (word: string): boolean =>
  word === EVERY_TOOL || word === READING_TOOLS || ONE_TOOL.test(word);

/** Whether `allowed` is a valid answer to a request for `asked`: it grants no more than was asked for. */
export const isWithin = (allowed: readonly string[], asked: readonly string[]): boolean =>
  asked.includes(EVERY_TOOL) || allowed.every((scope) => asked.includes(scope));

/** A tool that is not the agent's own, such as `ask_agent`, requires `tools`: it may use all of them. */
export function allowsTool(scopes: readonly string[], name: string, tool: RuntimeTool | undefined): boolean {
  if (scopes.includes(EVERY_TOOL)) return true;
  if (tool === undefined) return false;
  return scopes.includes(`tool:${name}`) || (scopes.includes(READING_TOOLS) && riskOf(tool.tool) === "read");
}

/** The scopes to request for a call, including those already allowed. */
export const scopesFor = (held: readonly string[], name: string, tool: RuntimeTool | undefined): string[] =>
  tool === undefined ? [EVERY_TOOL] : [...held, `tool:${name}`];
