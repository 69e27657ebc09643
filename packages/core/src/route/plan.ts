/**
 * From matches to steps: the best match as the primary step, the next as the secondary, which runs only when the primary
 * fails. What a step needs and the task does not say is listed in `missing`; such a step is shown, not called.
 */
import type { Capability } from "../capability.ts";
import type { JsonSchema, JsonValue } from "../schema.ts";
import { type ChoosableTool, chooseTool } from "./choose-tool.ts";
import { isRecord, parametersOf } from "./parameters.ts";
import { mapPayload, type PayloadHints } from "./payload.ts";
import type { RankResult } from "./rank.ts";
import { normalizeTask } from "./text.ts";

export interface Intent {
  /** The id of the best match, or `NO_INTENT`. */
  readonly label: string;
  /** How often such an answer is right, measured on labelled tasks. */
  readonly confidence: number;
  readonly normalizedTask: string;
}

export interface PlanStep {
  readonly step: number;
  readonly capabilityId: string;
  readonly route?: string;
  readonly method?: string;
  /** Named when the step calls a tool directly, and to say which operation a route stands for. */
  readonly tool?: string;
  readonly goal: string;
  readonly payload: Readonly<Record<string, JsonValue>>;
  /** Required input the task does not give. */
  readonly missing?: readonly string[];
}

/** What planning needs of a capability. */
export interface PlanTarget {
  readonly id: string;
  readonly name: string;
  readonly route?: string;
  readonly method?: string;
  readonly tools: readonly ChoosableTool[];
}

export const NO_INTENT = "none";
const MAX_STEPS = 2;
/** A secondary far behind the first would answer another question. */
const SECONDARY_SHARE = 0.6;

export function planTarget(capability: Capability): PlanTarget {
  const { id, name, routing, tools } = capability;
  return {
    id,
    name,
    ...(routing?.route !== undefined && { route: routing.route, method: routing.method ?? "POST" }),
    tools: tools
      .filter((tool) => tool.unavailable === undefined)
      .map(({ name: tool, description, input }) => ({
        name: tool,
        description,
        inputSchema: input.jsonSchema,
      })),
  };
}

export function intentOf(task: string, { matches, confidence }: RankResult): Intent {
  const [first] = matches;
  return {
    label: first?.id ?? NO_INTENT,
    confidence: first ? confidence : 0,
    normalizedTask: normalizeTask(task),
  };
}

export function plan(
  { matches }: Pick<RankResult, "matches">,
  task: string,
  targetOf: (id: string) => PlanTarget | undefined,
  hints: PayloadHints = {},
): PlanStep[] {
  const [first] = matches;
  if (!first) return [];
  return matches
    .filter(({ score }, at) => at === 0 || score >= first.score * SECONDARY_SHARE)
    .flatMap(({ id }) => targetOf(id) ?? [])
    .slice(0, MAX_STEPS)
    .map((target, at) => toStep(target, at + 1, first.id, task, hints));
}

function toStep(
  target: PlanTarget,
  step: number,
  label: string,
  task: string,
  hints: PayloadHints,
): PlanStep {
  const tool = toolFor(task, target.tools);
  const schema = tool?.inputSchema ?? {};
  const { payload, missing } = mapPayload(task, schema, hints);
  return {
    step,
    capabilityId: target.id,
    ...(target.route !== undefined && { route: target.route }),
    ...(target.method !== undefined && { method: target.method }),
    ...(tool && { tool: tool.name }),
    goal: `Execute ${target.name} for intent ${label}`,
    payload: { ...defaultsOf(schema), ...payload },
    ...(missing.length > 0 && { missing }),
  };
}

/** The tool whose words fit the task best; the first declared when no word decides. */
function toolFor(task: string, tools: readonly ChoosableTool[]): ChoosableTool | undefined {
  if (tools.length <= 1) return tools[0];
  const best = chooseTool(task, tools)[0];
  return tools.find(({ name }) => name === best?.name) ?? tools[0];
}

/** A plan shows the whole call, so the schema's own defaults are written out; empty ones say nothing. */
function defaultsOf(schema: JsonSchema): Record<string, JsonValue> {
  const entries = parametersOf(schema)
    .map(({ name, schema: { default: value } }) => [name, value] as const)
    .filter(([, value]) => value !== undefined && value !== "" && !(isRecord(value) && isEmpty(value)));
  return Object.fromEntries(entries) as Record<string, JsonValue>;
}

const isEmpty = (value: Record<string, unknown>): boolean => Object.keys(value).length === 0;
