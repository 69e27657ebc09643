/** CEL expressions of rules: parsed and checked once, bounded, without the functions that can run forever. */
import { type CompileExpression, type Holds, nearest } from "@capstan/core/internal";
import { type ASTNode, Environment } from "@marcbachmann/cel-js";
import { fieldsIn } from "./cel-fields.ts";
import {
  beginDecision,
  type CelValue,
  compileValue,
  decidedFacts,
  type Evaluate,
  keep,
  keyOf,
} from "./cel-values.ts";
import { UNSURE } from "./unsure.ts";

const MAX_CHARS = 500;
const MOST_VALUES = 1_000; // in arguments that an expression loops over
const MOST_LOOP_CHARS = 20_000_000; // each value against every character
const LOOPS: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "map", "filter"]);
/** All of them take time in proportion to their arguments. Not here: patterns, names for values (a list doubles at each). */
const FUNCTIONS: ReadonlySet<string> = new Set([
  ...LOOPS,
  ...["has", "size", "startsWith", "endsWith", "contains", "indexOf", "lastIndexOf", "substring", "split"],
  ...["lowerAscii", "upperAscii", "trim", "join", "string", "int", "uint", "double", "bool", "type", "dyn"],
  ...["timestamp", "duration", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getFullYear"],
  ...["getHours", "getMilliseconds", "getMinutes", "getMonth", "getSeconds"],
]);

const TYPES: Readonly<Record<string, string>> = {
  args: "map",
  user: "string",
  agent: "string",
  tool: "string",
  capability: "string",
  risk: "string",
  path: "string",
  groups: "list<string>",
  scopes: "list<string>",
  connections: "list<string>",
  seen: "list<string>",
  now: "google.protobuf.Timestamp",
};

let environment: Environment | undefined;
const open = (): Environment => (environment ??= newEnvironment());

function newEnvironment(): Environment {
  const limits = {
    maxAstNodes: 200,
    maxDepth: 20,
    maxListElements: 100,
    maxMapEntries: 50,
    maxCallArguments: 8,
  };
  const made = new Environment({ limits });
  for (const [name, type] of Object.entries(TYPES)) made.registerVariable(name, type);
  return made;
}

export const compileCel: CompileExpression = (text) => {
  const { parsed, loops } = checked(text);
  const value = compileValue(parsed.ast, evaluatePart);
  const holds: Holds = (call, decision) => {
    const facts = beginDecision(call, decision);
    if (loops > 0) checkSizeOnce();
    return (value && quickly(value)) ?? byLibrary(parsed, facts);
  };
  return Object.assign(holds, { fields: fieldsIn(parsed.ast) });
};

/** The same by the library alone, about thirty times slower: the reference that `compileCel` has to match. */
export const compileByLibrary: CompileExpression = (text) => {
  const { parsed, loops } = checked(text);
  return (call, decision) => {
    const facts = beginDecision(call, decision);
    if (loops > 0) checkSize(facts.args);
    return byLibrary(parsed, facts);
  };
};

const checkSizeOnce = keep(() => checkSize(decidedFacts().args));

function checked(text: string) {
  if (text.length > MAX_CHARS) throw new Error(`longer than ${MAX_CHARS} characters`);
  const parsed = parse(text);
  const called = functionsIn(parsed.ast);
  const fault = called.map(functionFault).find((each) => each !== undefined);
  if (fault !== undefined) throw new Error(fault);
  const loops = called.filter((name) => LOOPS.has(name)).length;
  if (loops > 1)
    throw new Error(
      "only one of all(), exists(), map() and filter() may be used: nested ones can take forever",
    );
  return { parsed, loops };
}

/** Undefined where only the library can tell. */
function quickly(value: CelValue): boolean | undefined {
  try {
    const result = value();
    return typeof result === "boolean" ? result : undefined;
  } catch (error) {
    if (error === UNSURE) return undefined;
    throw error;
  }
}

function byLibrary(parsed: Evaluate, facts: Readonly<Record<string, unknown>>): boolean {
  const result = parsed(facts);
  if (typeof result !== "boolean") throw new Error("it does not answer true or false");
  return result;
}

/** A part of an expression on its own, if its meaning stays the same. */
function evaluatePart(part: ASTNode): Evaluate | undefined {
  try {
    const parsed = open().parse(part.input.slice(part.range.start, part.range.end));
    return keyOf(parsed.ast) === keyOf(part) && parsed.check().valid ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function functionFault(name: string): string | undefined {
  if (name === "matches")
    return "matches() can take forever on some texts; use startsWith, endsWith or contains";
  return FUNCTIONS.has(name) ? undefined : `${name}() is not available in rules`;
}

/** The functions that an expression calls, from its parsed form: text may have comments and spaces anywhere. */
function functionsIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(functionsIn);
  if (typeof node !== "object" || node === null || !("op" in node) || !("args" in node)) return [];
  const { op, args } = node;
  const isCall = op === "call" || op === "rcall";
  const name = isCall && Array.isArray(args) ? [String(args[0])] : [];
  return [...name, ...functionsIn(args)];
}

/** The caller chooses the arguments, and a loop may compare all of them with each other. */
function checkSize(args: unknown): void {
  let values = 0;
  let chars = 0;
  const count = (value: unknown): void => {
    values += 1;
    if (values > MOST_VALUES) throw new Error(`it looks at each of more than ${MOST_VALUES} values`);
    if (typeof value === "string") chars += value.length;
    else if (typeof value === "object" && value !== null)
      for (const each of Object.values(value)) count(each);
  };
  count(args);
  if (values * chars > MOST_LOOP_CHARS)
    throw new Error(`it would read more than ${MOST_LOOP_CHARS} characters`);
}

function parse(text: string) {
  const parsed = withPlainErrors(() => open().parse(text));
  const { valid, type, error } = parsed.check();
  if (!valid) throw new Error(withNearest(firstLine(error)));
  if (type !== "bool" && type !== "dyn") throw new Error(`it gives ${type}, not true or false`);
  return parsed;
}

/** An unknown variable, with the nearest known name. */
function withNearest(message: string): string {
  const [, name] = /^Unknown variable: (\w+)/.exec(message) ?? [];
  const near = name === undefined ? [] : nearest(name, Object.keys(TYPES));
  return near.length > 0 ? `${message}; did you mean ${near.join(" or ")}?` : message;
}

function withPlainErrors<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new Error(firstLine(error));
  }
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n", 1)[0] ?? "";
