/** The narrowest rule that would have allowed a call: proposed by "always allow like this", saved by a person. */

import type { DataLabel } from "../data-flow/data-flow.ts";
import type { JsonSchema } from "../schema.ts";
import { normalisePath, parentPath } from "../session-path.ts";
import type { ArgumentCondition, Rule, RuleCondition } from "./rule.ts";

const MOST_CONDITIONS = 12;
const MAX_TEXT = 300; // a longer text is content, not a choice, so it cannot define what is allowed

export type ProposedRule = Pick<Rule, "name" | "tools" | "when" | "effect"> & {
  /** Arguments the rule leaves open, because no narrow condition fits them. */
  readonly open: readonly string[];
};

/** `seen`: what the conversation had read, where that is why the call was asked for. */
export function narrowestRule(
  tool: string,
  args: unknown,
  schema: JsonSchema,
  seen: readonly DataLabel[] = [],
): ProposedRule {
  const when: RuleCondition[] = seen.map((label) => ({ seen: label }));
  const open: string[] = [];
  const given = typeof args === "object" && args !== null ? Object.entries(args) : [];
  for (const [arg, value] of given) {
    const condition = conditionFor(arg, value, schema);
    if (condition && when.length < MOST_CONDITIONS) when.push(condition);
    else open.push(arg);
  }
  return { name: `Allow ${tool} like this`, tools: [tool], when, effect: "allow", open };
}

/** A path: its folder. A number: up to it. A short text, a choice or a recipient: exactly it. */
function conditionFor(arg: string, value: unknown, schema: JsonSchema): ArgumentCondition | undefined {
  if (typeof value === "boolean") return { arg, op: "is", value };
  if (typeof value === "number") return { arg, op: "at_most", value };
  if (typeof value === "string") {
    const path = isPath(arg, value, schema) ? normalisePath(value) : undefined;
    if (path?.ok) return { arg, op: "under", value: parentPath(path.value) };
    return value.length <= MAX_TEXT && !value.includes("\n") ? { arg, op: "is", value } : undefined;
  }
  if (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((each) => typeof each === "string" && each.length <= MAX_TEXT)
  )
    return { arg, op: "in", value: value as string[] };
  return undefined;
}

function isPath(arg: string, value: string, { properties }: JsonSchema): boolean {
  const described =
    (properties as Record<string, { description?: string }> | undefined)?.[arg]?.description ?? "";
  return (
    value.startsWith("/") &&
    !value.includes("://") &&
    (/path|file|folder|dir/i.test(arg) || /path|file|folder/i.test(described))
  );
}
