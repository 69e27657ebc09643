/**
 * Rules over an argument that their tools had when they were saved, and that a later version took away or renamed. Such a rule
 * is broken, so it denies: "attachments are denied" must not end when `attachment` becomes `attachments`.
 *
 * Only for tools that a rule names one by one or by their capability: `risk:write` is also for tools that never had the argument.
 */
import type { JsonSchema } from "../schema.ts";
import type { AskedCall, Rule } from "./rule.ts";
import { placesAt } from "./rule-fields.ts";

export type Path = readonly string[];

export interface ToolFields {
  readonly name: string;
  readonly capabilityId: string;
  readonly inputSchema: JsonSchema;
}

/** The first of these arguments that neither this call's tool nor another tool of the rule has. */
export function lostField(
  paths: readonly Path[],
  { tools: patterns }: Pick<Rule, "tools">,
  { schema, tool, ownName, capabilityId }: AskedCall,
  known: () => readonly ToolFields[],
): Path | undefined {
  if (schema === undefined) return undefined;
  const missing = paths.filter((path) => placesAt(schema.jsonSchema, path).length === 0);
  if (missing.length === 0 || !patterns.every(isPlain)) return undefined;
  const own = { name: tool, capabilityId, inputSchema: schema.jsonSchema };
  const all = [own, { ...own, name: ownName }, ...known()];
  const byPattern = patterns.map((pattern) => all.filter((each) => isNamed(pattern, each)));
  if (byPattern.some((found) => found.length === 0)) return undefined; // of a tool that is not there at present
  const schemas = byPattern.flat().map(({ inputSchema }) => inputSchema);
  return missing.find((path) => schemas.every((each) => placesAt(each, path).length === 0));
}

const CAPABILITY = "capability:";
const isPlain = (pattern: string): boolean =>
  pattern.startsWith(CAPABILITY) || !(pattern.includes(":") || pattern.endsWith("*"));

const isNamed = (pattern: string, { name, capabilityId }: ToolFields): boolean =>
  pattern.startsWith(CAPABILITY) ? pattern.slice(CAPABILITY.length) === capabilityId : pattern === name;
