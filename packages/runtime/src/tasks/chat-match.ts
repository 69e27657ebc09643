/**
 * The capability for a chat message, by the `chatPatterns` that capabilities declare. Patterns also come from
 * packages, so they run on the linear-time matcher; one that does not compile matches nothing.
 */
import type { CapabilityRegistry } from "@capstan/core";
import { compileGrep } from "../files/line-finder.ts";

export interface ChatMatch {
  readonly capability_id: string;
  readonly pattern: string;
}

type Test = (text: Uint8Array) => boolean;

const compiled = new Map<string, Test>();
const MOST_COMPILED = 5_000; // a catalog of a thousand has a few each; packages come and go

/** The first registered one that matches; undefined means the agent answers the message. */
export function chatMatch(registry: CapabilityRegistry, message: string): ChatMatch | null {
  const text = new TextEncoder().encode(message);
  for (const { id, status, routing } of registry.list()) {
    if (status !== "available") continue;
    const pattern = routing?.chatPatterns?.find((each) => testOf(each)(text));
    if (pattern !== undefined) return { capability_id: id, pattern };
  }
  return null;
}

function testOf(pattern: string): Test {
  const known = compiled.get(pattern);
  if (known) return known;
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  const finder = compileGrep(`(?i)${pattern}`);
  const test: Test = finder.ok ? (text) => finder.value(text, 1).length > 0 : () => false;
  compiled.set(pattern, test);
  return test;
}
