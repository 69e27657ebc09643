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

/** `seen`: labels of what the conversation had read, if they are why approval was required. */
export function narrowestRule(
  tool: string,
  args: unknown,
  schema: JsonSchema,
  seen: readonly DataLabel[] = [],
): ProposedRule {
  const given = Object.entries(isRecord(args) ? args : {}).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  const wanted = given.map(([arg, value]) => ({ arg, condition: conditionFor(arg, value, schema) }));
  for (const arg of notGiven(given, schema)) wanted.push({ arg, condition: { arg, op: "missing" } });
  const when: RuleCondition[] = seen.map((label) => ({ seen: label }));
  const open: string[] = [];
  for (const { arg, condition } of wanted) {
    if (condition && when.length < MOST_CONDITIONS) when.push(condition);
    else open.push(arg);
  }
  return { name: `Allow ${tool} like this`, tools: [tool], when, effect: "allow", open };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** An argument that this call left out, such as an attachment, makes another call different. */
function notGiven(given: readonly (readonly [string, unknown])[], { properties }: JsonSchema): string[] {
  const names = new Set(given.map(([name]) => name));
  return Object.keys((properties as object | undefined) ?? {}).filter((name) => !names.has(name));
}

/** A path: its folder. An amount: up to it. A short text, a choice, a recipient or an identifying number: exactly this value. */
function conditionFor(arg: string, value: unknown, schema: JsonSchema): ArgumentCondition | undefined {
  if (typeof value === "boolean") return { arg, op: "is", value };
  if (typeof value === "number") return { arg, op: value < 0 || isName(arg) ? "is" : "at_most", value };
  if (typeof value === "string") return textCondition(arg, value, schema);
  if (Array.isArray(value) && value.length > 0 && value.every(isShortText)) return { arg, op: "in", value };
  return undefined;
}

const isShortText = (value: unknown): value is string =>
  typeof value === "string" && value.length <= MAX_TEXT;

function textCondition(arg: string, value: string, schema: JsonSchema): ArgumentCondition | undefined {
  const path = isPath(arg, value, schema) ? normalisePath(value) : undefined;
  if (path?.ok) return pathCondition(arg, path.value);
  return isShortText(value) && !value.includes("\n") ? { arg, op: "is", value } : undefined;
}

/** The folder of a top-level file would be everything, so there the file itself. */
function pathCondition(arg: string, path: string): ArgumentCondition {
  const folder = parentPath(path);
  return { arg, op: "under", value: folder === "/" ? path : folder };
}

/** A number that identifies something, such as an order, is not an amount. */
const isName = (arg: string): boolean =>
  /(?:^|_|[a-z])(?:id|no|number|nr|key|code|pin|port|year|version|index)$/i.test(arg);

function isPath(arg: string, value: string, { properties }: JsonSchema): boolean {
  const described =
    (properties as Record<string, { description?: string }> | undefined)?.[arg]?.description ?? "";
  return (
    value.startsWith("/") &&
    !value.includes("://") &&
    (/path|file|folder|dir/i.test(arg) || /path|file|folder/i.test(described))
  );
}
