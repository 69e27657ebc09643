/**
 * The semantic version of what an agent offers: a lost tool, or one that must be called differently, is a major
 * change; a new tool or argument is a minor one; any other change is a patch. It is computed from the previous
 * offer, so that a capability's new version counts although nobody changed the agent.
 */
import { isSameJson } from "./ordered-json.ts";
import type { RuntimeAgent } from "./runtime-agent.ts";
import type { JsonSchema } from "./schema.ts";
import type { ToolPolicy } from "./tool.ts";

/** What an agent offers, as far as its version depends on it. */
export interface AgentOffer {
  /** How often the agent itself was changed. */
  readonly revision: number;
  /** The version chosen by the author, if any. */
  readonly declared: string | null;
  readonly tools: Readonly<Record<string, { readonly parameters: JsonSchema; readonly policy: ToolPolicy }>>;
  readonly capabilities: Readonly<Record<string, string>>;
}

export interface AgentRelease {
  readonly version: string;
  readonly offer: AgentOffer;
}

export type ReleaseChange = "major" | "minor" | "patch" | "none";

export const offerOf = ({ spec, tools, capabilities }: RuntimeAgent): AgentOffer => ({
  revision: spec.version,
  declared: spec.release ?? null,
  tools: Object.fromEntries(
    tools.map(({ name, tool, policy }) => [name, { parameters: tool.input.jsonSchema, policy }]),
  ),
  capabilities: Object.fromEntries(capabilities.map(({ id, version }) => [id, version])),
});

/** The version of an agent that had none yet. */
export const firstRelease = (agent: { readonly release?: string | null; readonly version: number }): string =>
  agent.release ?? `${agent.version}.0.0`;

/** The same object when nothing changed. */
export function nextRelease(before: AgentRelease | undefined, offer: AgentOffer): AgentRelease {
  if (!before) return { version: firstRelease({ release: offer.declared, version: offer.revision }), offer };
  const change = changeOf(before.offer, offer);
  if (change === "none") return before;
  const isDeclaredAnew = offer.declared !== null && offer.declared !== before.offer.declared;
  return { version: isDeclaredAnew ? offer.declared : raised(before.version, change), offer };
}

export function changeOf(before: AgentOffer, after: AgentOffer): ReleaseChange {
  const names = new Set([...Object.keys(before.tools), ...Object.keys(after.tools)]);
  const changes = [...names].map((name) => toolChange(before.tools[name], after.tools[name]));
  const most = (["major", "minor", "patch"] as const).find((size) => changes.includes(size));
  if (most) return most;
  const { tools: _before, ...facts } = before;
  const { tools: _after, ...now } = after;
  return isSameJson(facts, now) ? "none" : "patch";
}

type OfferedTool = AgentOffer["tools"][string];

function toolChange(before: OfferedTool | undefined, after: OfferedTool | undefined): ReleaseChange {
  if (!after) return "major";
  if (!before) return "minor";
  const parameters = parametersChange(before.parameters, after.parameters);
  if (parameters !== "none" || before.policy === after.policy) return parameters;
  // Its runner changed: a caller that waits for a result may now wait for approval, or must run it itself.
  return after.policy === "client" || before.policy === "client" ? "major" : "minor";
}

function parametersChange(before: JsonSchema, after: JsonSchema): ReleaseChange {
  if (isSameJson(before, after)) return "none";
  const [had, has] = [argumentsOf(before), argumentsOf(after)];
  const isKept = [...had.properties].every(([name, schema]) => isSameJson(schema, has.properties.get(name)));
  const isDemanding = has.required.some((name) => !had.required.includes(name));
  return isKept && !isDemanding && isSameJson(had.rest, has.rest) ? "minor" : "major";
}

function argumentsOf({ properties = {}, required = [], description: _, ...rest }: JsonSchema) {
  return {
    properties: new Map(Object.entries(Object(properties))),
    required: Array.isArray(required) ? required.map(String) : [],
    rest,
  };
}

function raised(version: string, change: Exclude<ReleaseChange, "none">): string {
  const [major = 0, minor = 0, patch = 0] = version
    .replace(/[-+].*$/, "")
    .split(".")
    .map(Number);
  if (change === "major") return `${major + 1}.0.0`;
  return change === "minor" ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}
