/** The narrowest rule that would have allowed a call: proposed by "always allow like this", saved by a person. */

import type { DataLabel } from "../data-flow/data-flow.ts";
import type { JsonSchema } from "../schema.ts";
import { normalisePath, parentPath } from "../session-path.ts";
import type { ArgumentCondition, Rule, RuleCondition } from "./rule.ts";

const MOST_CONDITIONS = 40;
const MOST_NESTED = 4;
const MAX_TEXT = 300;
const MAX_VALUE = 2_000; // of a condition in the API

export type ProposedRule = Pick<Rule, "name" | "tools" | "when" | "effect"> & {
  /** Arguments the rule leaves open, because no narrow condition fits them. */
  readonly open: readonly string[];
};

interface CalledTool {
  readonly name: string;
  readonly schema: JsonSchema;
  /** Its texts are programs: none of them is mere content. */
  readonly runsCode?: boolean;
}

/** `seen`: labels of what the conversation had read, if they are why approval was required. */
export function narrowestRule(
  { name, schema, runsCode = false }: CalledTool,
  args: unknown,
  seen: readonly DataLabel[] = [],
): ProposedRule {
  const wanted = wantedFor({ args: isRecord(args) ? args : {}, schema, prefix: "", runsCode }, MOST_NESTED);
  const when: RuleCondition[] = seen.map((label) => ({ seen: label }));
  const open: string[] = [];
  for (const { arg, condition } of wanted) {
    if (condition && when.length < MOST_CONDITIONS) when.push(condition);
    else open.push(arg);
  }
  return { name: `Allow ${name} like this`, tools: [name], when, effect: "allow", open };
}

interface Wanted {
  readonly arg: string;
  readonly condition: ArgumentCondition | undefined;
}

interface Given {
  readonly args: Record<string, unknown>;
  readonly schema: JsonSchema;
  /** Of nested fields: the names before theirs. */
  readonly prefix: string;
  readonly runsCode: boolean;
}

function wantedFor({ args, schema, prefix, runsCode }: Given, depth: number): Wanted[] {
  const given = Object.entries(args).filter(([, value]) => value !== null && value !== undefined);
  const wanted = given.flatMap(([name, value]): Wanted[] => {
    const arg = prefix + name;
    const inner = propertyOf(schema, name);
    if (isRecord(value) && !Array.isArray(value) && depth > 0)
      return wantedFor({ args: value, schema: inner, prefix: `${arg}.`, runsCode }, depth - 1);
    return [{ arg, condition: name.includes(".") ? undefined : conditionFor(arg, value, inner, runsCode) }];
  });
  const missing = notGiven(given, schema).map((name) => prefix + name);
  return [...wanted, ...missing.map((arg): Wanted => ({ arg, condition: { arg, op: "missing" } }))];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const propertiesOf = ({ properties }: JsonSchema): Record<string, JsonSchema> =>
  isRecord(properties) ? (properties as Record<string, JsonSchema>) : {};

const propertyOf = (schema: JsonSchema, name: string): JsonSchema =>
  Object.hasOwn(propertiesOf(schema), name) ? (propertiesOf(schema)[name] ?? {}) : {};

/** An argument that this call left out, such as an attachment, makes another call different. */
function notGiven(given: readonly (readonly [string, unknown])[], schema: JsonSchema): string[] {
  const names = new Set(given.map(([name]) => name));
  return Object.keys(propertiesOf(schema)).filter((name) => !names.has(name));
}

/** A path: its folder. An amount: up to it. A text, a choice, a recipient or an identifying number: exactly this value. */
function conditionFor(
  arg: string,
  value: unknown,
  schema: JsonSchema,
  runsCode: boolean,
): ArgumentCondition | undefined {
  if (typeof value === "boolean") return { arg, op: "is", value };
  if (typeof value === "number") return { arg, op: value < 0 || isName(arg) ? "is" : "at_most", value };
  if (typeof value === "string") return textCondition(arg, value, schema, runsCode);
  return Array.isArray(value) ? listCondition(arg, value) : undefined;
}

const isListed = (value: unknown): value is string | number =>
  typeof value === "number" || (typeof value === "string" && value.length <= MAX_TEXT);

function listCondition(arg: string, values: readonly unknown[]): ArgumentCondition | undefined {
  if (values.length === 0) return { arg, op: "missing" };
  return values.every(isListed) ? { arg, op: "in", value: values } : undefined;
}

function textCondition(
  arg: string,
  value: string,
  schema: JsonSchema,
  runsCode: boolean,
): ArgumentCondition | undefined {
  const path = isPath(arg, value, schema) ? normalisePath(value) : undefined;
  if (path?.ok) return pathCondition(arg, path.value);
  const isOpen = !runsCode && isContent(arg) && (value.length > MAX_TEXT || value.includes("\n"));
  return isOpen || value.length > MAX_VALUE ? undefined : { arg, op: "is", value };
}

/** What is written rather than chosen. */
const isContent = (arg: string): boolean =>
  /(?:content|body|text|message|description|notes?|summary|comment|memo|html|markdown|subject|title)s?$/i.test(
    arg,
  );

/** The folder of a top-level file would be everything, so there the file itself. */
function pathCondition(arg: string, path: string): ArgumentCondition {
  const folder = parentPath(path);
  return { arg, op: "under", value: folder === "/" ? path : folder };
}

/** A number that identifies something, such as an order, is not an amount. */
const isName = (arg: string): boolean =>
  /(?:^|_|[a-z])(?:id|no|number|nr|key|code|pin|port|year|version|index)$/i.test(arg);

function isPath(arg: string, value: string, { description = "" }: JsonSchema): boolean {
  return (
    value.startsWith("/") &&
    !value.includes("://") &&
    (/path|file|folder|dir/i.test(arg) || /path|file|folder/i.test(String(description)))
  );
}
