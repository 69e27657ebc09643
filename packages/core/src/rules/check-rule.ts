/** Faults of a rule before it is saved: an unknown tool or argument, an operator that does not fit. */
import { DATA_READS, DATA_WRITES, type DataFlow } from "../data-flow/data-flow.ts";
import type { Fault } from "../faults.ts";
import { nearest } from "../nearest.ts";
import type { JsonSchema } from "../schema.ts";
import { normalisePath } from "../session-path.ts";
import type { CompileExpression, ExpressionField } from "./condition.ts";
import type { ArgumentCondition, Rule, RuleOperator, RuleTime } from "./rule.ts";
import {
  type FieldKind,
  type FieldPlace,
  fieldsOf,
  isAlwaysGiven,
  missingField,
  placesAt,
} from "./rule-fields.ts";
import { names } from "./rule-set.ts";
import { isWithin } from "./rule-time.ts";

export interface KnownTool {
  readonly name: string;
  readonly ownName: string;
  readonly capabilityId: string;
  readonly risk: string;
  readonly flow: DataFlow;
  readonly scopes: readonly string[];
  readonly connections: readonly string[];
  readonly inputSchema: JsonSchema;
}

const KINDS_OF: Readonly<Record<RuleOperator, readonly FieldKind[]>> = {
  is: ["string", "number", "boolean"],
  is_not: ["string", "number", "boolean"],
  in: ["string", "number"],
  not_in: ["string", "number"],
  above: ["number"],
  below: ["number"],
  at_least: ["number"],
  at_most: ["number"],
  under: ["string"],
  not_under: ["string"],
  contains: ["string"],
  not_contains: ["string"],
  starts_with: ["string"],
  not_starts_with: ["string"],
  ends_with: ["string"],
  not_ends_with: ["string"],
  exists: ["string", "number", "boolean", "object", "other"],
  missing: ["string", "number", "boolean", "object", "other"],
};
/** For tools that may be added later. */
const FLOW_PATTERNS: ReadonlySet<string> = new Set([
  ...DATA_READS.map((read) => `reads:${read}`),
  ...DATA_WRITES.map((write) => `writes:${write}`),
  "uses:secrets",
  "reaches:any_address",
]);
export function ruleFaults(
  rule: Pick<Rule, "tools" | "when" | "effect" | "ask" | "limit" | "owner">,
  known: readonly KnownTool[],
  compileExpression: CompileExpression,
): Fault[] {
  const faults: Fault[] = [];
  const meant = rule.tools.flatMap((pattern, at) => {
    const found = known.filter((tool) => names(pattern, { ...tool, tool: tool.name }));
    if (found.length === 0 && !FLOW_PATTERNS.has(pattern))
      faults.push({ path: `tools[${at}]`, message: unknownTool(pattern, known) });
    return found;
  });
  rule.when.forEach((condition, at) => {
    const path = `when[${at}]`;
    if ("arg" in condition) faults.push(...argumentFaults(condition, path, meant));
    else if ("time" in condition) faults.push(...timeFaults(condition.time, path));
    else if ("connection" in condition)
      faults.push(...unusedFaults(condition.connection, `${path}.connection`, "connections", meant));
    else if ("scope" in condition)
      faults.push(...unusedFaults(condition.scope, `${path}.scope`, "scopes", meant));
    else if ("expr" in condition) faults.push(...expressionFaults(condition, path, meant, compileExpression));
  });
  return [...faults, ...effectFaults(rule), ...countFaults(rule), ...ownerFaults(rule)];
}

const asks = ({ effect, limit }: Pick<Rule, "effect" | "limit">): boolean =>
  effect === "ask" || (effect === "limit" && limit?.over === "ask");

function effectFaults(rule: Pick<Rule, "effect" | "ask" | "limit">): Fault[] {
  const { effect, ask, limit } = rule;
  const faults: Fault[] = [];
  if (ask !== undefined && !asks(rule))
    faults.push({
      path: "ask",
      message: `only allowed for a rule that asks; leave it out for "${effect}"`,
    });
  if (effect === "limit" && limit === undefined)
    faults.push({ path: "limit", message: "missing; such as {calls: 5, per: hour, each: user}" });
  if (effect !== "limit" && limit !== undefined)
    faults.push({
      path: "limit",
      message: `only allowed for a rule that limits; leave it out for "${effect}"`,
    });
  return faults;
}

/** A rule has one count, which is kept by its id. */
function countFaults({ when, effect }: Pick<Rule, "when" | "effect">): Fault[] {
  const counting = when.flatMap((condition, at) => ("often" in condition ? [at] : []));
  const most = effect === "limit" ? 0 : 1;
  return counting.slice(most).map((at) => ({
    path: `when[${at}].often`,
    message: effect === "limit" ? "a limit already counts; leave it out" : "a rule may count only once",
  }));
}

/** A user's own rules only make their calls stricter, and ask nobody else. */
function ownerFaults({ owner, effect, ask }: Pick<Rule, "owner" | "effect" | "ask">): Fault[] {
  if (owner === undefined) return [];
  const faults: Fault[] = [];
  if (effect === "allow")
    faults.push({ path: "then", message: "a user's own rule can ask, deny or limit, never allow" });
  if (ask !== undefined)
    faults.push({ path: "ask", message: "a user's own rule asks that user, as the agent says" });
  return faults;
}

/** A provider or a scope that none of the rule's tools uses would never match. */
function unusedFaults(
  named: string | readonly string[],
  path: string,
  field: "connections" | "scopes",
  tools: readonly KnownTool[],
): Fault[] {
  const used = [...new Set(tools.flatMap((tool) => tool[field]))];
  const missing = [named].flat().find((each) => tools.length > 0 && !used.includes(each));
  if (missing === undefined) return [];
  const near = nearest(missing, used);
  const has =
    near.length > 0 ? `did you mean ${near.join(" or ")}?` : `they use ${used.join(", ") || "none"}`;
  return [{ path, message: `none of its tools uses "${missing}"; ${has}` }];
}

function timeFaults(time: RuleTime, path: string): Fault[] {
  try {
    isWithin(time);
    const { from, to } = time;
    if (from !== to) return [];
    const message = `no time is between ${from} and ${to}; a whole day is 00:00 to 24:00`;
    return [{ path: `${path}.time`, message }];
  } catch (error) {
    return [{ path: `${path}.time`, message: error instanceof Error ? error.message : String(error) }];
  }
}

function unknownTool(pattern: string, known: readonly KnownTool[]): string {
  const groups = known.flatMap(({ capabilityId, risk, scopes, connections }) => [
    `capability:${capabilityId}`,
    `risk:${risk}`,
    ...scopes.map((scope) => `scope:${scope}`),
    ...connections.map((connection) => `connection:${connection}`),
  ]);
  const all = pattern.includes(":") ? [...groups, ...FLOW_PATTERNS] : known.map(({ name }) => name);
  const near = nearest(pattern, new Set(all));
  return `no tool is called ${JSON.stringify(pattern)}${near.length > 0 ? `; did you mean ${near.join(" or ")}?` : ""}`;
}

function argumentFaults(
  { arg, op, value }: ArgumentCondition,
  path: string,
  tools: readonly KnownTool[],
): Fault[] {
  if (tools.length === 0) return []; // already reported for the tools
  const places = tools.flatMap(({ inputSchema }) => placesAt(inputSchema, arg.split(".")));
  if (places.length === 0) return [{ path: `${path}.arg`, message: noSuchArgument(arg, tools) }];
  const kinds = new Set(places.map(({ kind }) => kind));
  if (![...kinds].some((kind) => kind === "other" || KINDS_OF[op].includes(kind)))
    return [
      { path: `${path}.op`, message: `"${op}" does not fit ${arg}, which is a ${[...kinds].join(" or ")}` },
    ];
  const message = valueFault(op, value, places);
  return message === undefined ? [] : [{ path: `${path}.value`, message }];
}

function noSuchArgument(name: string, tools: readonly KnownTool[]): string {
  const fields = [...new Set(tools.flatMap(({ inputSchema }) => fieldsOf(inputSchema)))];
  const near = nearest(name, fields);
  const has =
    near.length > 0
      ? `did you mean ${near.join(" or ")}?`
      : `there are ${fields.filter((each) => !each.includes(".")).join(", ") || "none"}`;
  return `no such argument "${name}"; ${has}`;
}

function valueFault(
  op: RuleOperator,
  value: ArgumentCondition["value"],
  places: readonly FieldPlace[],
): string | undefined {
  if (op === "exists" || op === "missing") return value === undefined ? undefined : `"${op}" takes no value`;
  if (value === undefined) return "missing";
  const given = [value].flat();
  if (given.length === 0) return "an empty list never matches";
  const kinds = new Set(places.map(({ kind }) => kind));
  if (!given.every((each) => kinds.has(typeof each as FieldKind) || kinds.has("other")))
    return `expected a ${[...kinds].join(" or ")}, as the argument is`;
  return VALUE_FAULTS[op]?.(given, places);
}

type ValueFault = (given: readonly unknown[], places: readonly FieldPlace[]) => string | undefined;

/** One that the schema does not list would never be given. */
const unlisted: ValueFault = (given, places) => {
  const listed = places.flatMap(({ values }) => values ?? []);
  const wrong = given.find((each) => !listed.includes(each));
  if (wrong === undefined || places.some(({ values }) => values === undefined)) return undefined;
  const names = listed.map(String);
  const near = nearest(String(wrong), names);
  return `${JSON.stringify(wrong)} is no value of it; ${near.length > 0 ? `did you mean ${near.join(" or ")}?` : `there are ${names.join(", ")}`}`;
};

const empty: ValueFault = (given) => (given.includes("") ? "an empty text is part of every text" : undefined);

const noPath: ValueFault = (given) => {
  const faults = given.map((each) => normalisePath(String(each)));
  return faults.flatMap((each) => (each.ok ? [] : [each.failure.message]))[0];
};

const VALUE_FAULTS: Partial<Readonly<Record<RuleOperator, ValueFault>>> = {
  is: unlisted,
  is_not: unlisted,
  in: unlisted,
  not_in: unlisted,
  under: noPath,
  not_under: noPath,
  contains: empty,
  not_contains: empty,
  starts_with: empty,
  not_starts_with: empty,
  ends_with: empty,
  not_ends_with: empty,
};

function expressionFaults(
  { expr }: { readonly expr: string },
  path: string,
  tools: readonly KnownTool[],
  compileExpression: CompileExpression,
): Fault[] {
  const fault = (message: string) => [{ path: `${path}.expr`, message }];
  try {
    const message = fieldFault(compileExpression(expr).fields ?? [], tools);
    return message === undefined ? [] : fault(message);
  } catch (error) {
    return fault(error instanceof Error ? error.message : String(error));
  }
}

/**
 * An expression over a missing field fails, and a failing rule denies every call of that tool. One that tests for a field that
 * no call has would silently never hold.
 */
function fieldFault(fields: readonly ExpressionField[], tools: readonly KnownTool[]): string | undefined {
  if (tools.length === 0) return undefined;
  const unknown = missingField(
    fields,
    tools.map(({ inputSchema }) => inputSchema),
  );
  if (unknown) return noSuchArgument(unknown.join("."), tools);
  const asked = new Set(fields.flatMap(({ path: [name], isAsked }) => (isAsked ? [name] : [])));
  for (const { path } of fields) {
    const [name = ""] = path;
    const without = tools.find(({ inputSchema }) => !asked.has(name) && !isAlwaysGiven(inputSchema, name));
    if (without)
      return `args.${name} may be missing in a call of ${without.name}; write has(args.${name}) && ...`;
  }
  return undefined;
}
