/** The path by which a call of a run reaches the gate. */
import type { CallPath } from "@capstan/core/internal";
import { SEARCH_TOOL } from "./deferred-tools.ts";

/** How a run began. */
export interface RunBeginning {
  /** Its depth below the run that a person, a client or a trigger started. */
  readonly depth?: number | null | undefined;
  readonly origin?: "trigger" | null | undefined;
}

export function runPath(
  tool: string,
  { depth, origin }: RunBeginning,
  { isHarness, defers }: { readonly isHarness: boolean; readonly defers: boolean },
): CallPath {
  if (isHarness) return "harness";
  if (depth) return "subagent";
  if (defers && tool !== SEARCH_TOOL) return "search";
  return origin ?? "loop";
}
