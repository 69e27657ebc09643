/** Faults of a rule before it is saved: an unknown tool or argument, an operator that does not fit. */
import { DATA_READS, DATA_WRITES, type DataFlow } from "../data-flow/data-flow.ts";
import type { Fault } from "../faults.ts";
import { nearest } from "../nearest.ts";
import type { JsonSchema } from "../schema.ts";
import { type CompileExpression, compileCondition } from "./condition.ts";
import type { ArgumentCondition, Rule, RuleOperator, RuleTime } from "./rule.ts";
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

type Kind = "string" | "number" | "boolean" | "object" | "other";

const KINDS_OF: Readonly<Record<RuleOperator, readonly Kind[]>> = {
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
const MAX_DEPTH = 12;
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
    else if ("expr" in condition)
      faults.push(
        ...expressionFaults(condition, rule, path, compileExpression),
        ...fieldFaults(condition.expr, path, meant),
      );
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
    return [];
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
  const parts = arg.split(".");
  const kinds = new Set(tools.flatMap(({ inputSchema }) => kindsAt(inputSchema, parts, inputSchema, 0)));
  if (kinds.size === 0) return [{ path: `${path}.arg`, message: noSuchArgument(arg, tools) }];
  if (![...kinds].some((kind) => kind === "other" || KINDS_OF[op].includes(kind)))
    return [
      { path: `${path}.op`, message: `"${op}" does not fit ${arg}, which is a ${[...kinds].join(" or ")}` },
    ];
  return valueFaults(op, value, kinds, path);
}

function noSuchArgument(name: string, tools: readonly KnownTool[]): string {
  const fields = [...new Set(tools.flatMap(({ inputSchema }) => fieldsOf(inputSchema)))];
  const near = nearest(name, fields);
  const has =
    near.length > 0 ? `did you mean ${near.join(" or ")}?` : `there are ${fields.join(", ") || "none"}`;
  return `no such argument "${name}"; ${has}`;
}

function valueFaults(
  op: RuleOperator,
  value: ArgumentCondition["value"],
  kinds: ReadonlySet<Kind>,
  path: string,
): Fault[] {
  if (op === "exists" || op === "missing")
    return value === undefined ? [] : [{ path: `${path}.value`, message: `"${op}" takes no value` }];
  if (value === undefined) return [{ path: `${path}.value`, message: "missing" }];
  const given = [value].flat().map((each) => typeof each as Kind);
  const fits = given.every((kind) => kinds.has(kind) || kinds.has("other"));
  return fits
    ? []
    : [{ path: `${path}.value`, message: `expected a ${[...kinds].join(" or ")}, as the argument is` }];
}

function expressionFaults(
  condition: { readonly expr: string },
  { effect }: Pick<Rule, "effect">,
  path: string,
  compileExpression: CompileExpression,
): Fault[] {
  try {
    compileCondition(condition, { id: "", effect: effect === "limit" ? "deny" : effect }, compileExpression);
    return [];
  } catch (error) {
    return [{ path: `${path}.expr`, message: error instanceof Error ? error.message : String(error) }];
  }
}

/**
 * An expression over a missing field fails, and a failing rule denies every call of that tool. One that tests for a field that
 * no call has would silently never hold.
 */
function fieldFaults(expression: string, path: string, tools: readonly KnownTool[]): Fault[] {
  const asked = new Set([...expression.matchAll(/\bhas\(\s*args\.([A-Za-z_]\w*)/g)].map(([, name]) => name));
  const fault = (message: string) => [{ path: `${path}.expr`, message }];
  for (const field of argumentsIn(expression)) {
    const isKnown = tools.some(({ inputSchema }) => kindsAt(inputSchema, field, inputSchema, 0).length > 0);
    if (tools.length > 0 && !isKnown) return fault(noSuchArgument(field.join("."), tools));
    const [name = ""] = field;
    const without = tools.find(({ inputSchema }) => !asked.has(name) && !isAlwaysGiven(inputSchema, name));
    if (without)
      return fault(
        `args.${name} may be missing in a call of ${without.name}; write has(args.${name}) && ...`,
      );
  }
  return [];
}

/** `args.a.b` and `args["a"]`; a last name before a parenthesis is a function. */
function argumentsIn(expression: string): string[][] {
  const dotted = [...expression.matchAll(/\bargs((?:\s*\.\s*[A-Za-z_]\w*)+)(\s*\()?/g)].map(
    ([, names = "", call]) => {
      const path = names
        .split(".")
        .slice(1)
        .map((name) => name.trim());
      return call === undefined ? path : path.slice(0, -1);
    },
  );
  const quoted = [...expression.matchAll(/\bargs\s*\[\s*(?:"([^"]*)"|'([^']*)')\s*\]/g)].map(
    ([, double, single]) => [double ?? single ?? ""],
  );
  return [...dotted, ...quoted].filter((path) => path.length > 0);
}

function isAlwaysGiven(schema: JsonSchema, name: string): boolean {
  const field = (schema.properties as Record<string, JsonSchema> | undefined)?.[name];
  if (!field) return false;
  return field.default !== undefined || (Array.isArray(schema.required) && schema.required.includes(name));
}

/** The kinds of value a schema allows at a path; empty when there is no such field. */
function kindsAt(schema: JsonSchema, path: readonly string[], root: JsonSchema, depth: number): Kind[] {
  const here = resolved(schema, root);
  if (depth > MAX_DEPTH) return ["other"];
  const variants = [here.anyOf, here.oneOf, here.allOf].filter(Array.isArray).flat() as JsonSchema[];
  const own = here.type === "array" ? here.items : undefined;
  if (own !== undefined && typeof own === "object") return kindsAt(own as JsonSchema, path, root, depth + 1);
  const [name, ...rest] = path;
  const fromVariants = variants.flatMap((each) => kindsAt(each, path, root, depth + 1));
  if (name === undefined) return [...fromVariants, ...(variants.length > 0 ? [] : [kindOf(here)])];
  const inner = (here.properties as Record<string, JsonSchema> | undefined)?.[name];
  if (inner !== undefined) return [...fromVariants, ...kindsAt(inner, rest, root, depth + 1)];
  const { additionalProperties: more } = here;
  return [
    ...fromVariants,
    ...(more === true || (typeof more === "object" && more !== null) ? ["other" as const] : []),
  ];
}

function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const [, name] = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(String(schema.$ref ?? "")) ?? [];
  const defined = (root.$defs ?? root.definitions) as Record<string, JsonSchema> | undefined;
  return (name !== undefined && defined?.[name]) || schema;
}

function kindOf({ type, enum: values, const: constant }: JsonSchema): Kind {
  const sample = constant ?? (Array.isArray(values) ? values[0] : undefined);
  const name = typeof type === "string" ? type : sample === undefined ? "other" : typeof sample;
  if (name === "integer" || name === "number") return "number";
  return name === "string" || name === "boolean" || name === "object" ? name : "other";
}

const fieldsOf = ({ properties }: JsonSchema): string[] =>
  typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
