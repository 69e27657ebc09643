/**
 * From matches to steps: the best match is the primary step, the next the secondary, which runs only when the primary
 * fails, and only if it has no effects: the second best is a guess. Required input that the task does not give is listed in `missing`; such a step is shown, not called.
 */
import type { Capability } from "../capability.ts";
import type { JsonSchema, JsonValue } from "../schema.ts";
import { type AnyTool, riskOf, type ToolRisk, whyUnavailable } from "../tool.ts";
import { shortName } from "./called-by-name.ts";
import { type ChoosableTool, chooseTool } from "./choose-tool.ts";
import type { PayloadHints } from "./mapping.ts";
import { isRecord, parametersOf } from "./parameters.ts";
import { mapPayload } from "./payload.ts";
import type { RankResult } from "./rank.ts";
import type { MatchedCapability, TaskIntent, TaskStep } from "./task-contract.ts";
import { identifierWords, normalizeTask, words } from "./text.ts";
import { unheardWords } from "./unheard-words.ts";

export type PlannedStep = TaskStep;

export interface PlanParts {
  /** The capability of a match, if visible to the caller. */
  readonly capabilityOf: (id: string) => Capability | undefined;
  readonly hints?: PayloadHints;
  /** Chooses which of a capability's tools serves the task; by words only when not given. */
  readonly chooseTool?: (task: string, capability: Capability, hints: PayloadHints) => string | undefined;
}

/** The label of a task that nothing fits. */
export const NO_INTENT = "none";
/** A secondary far behind the first would do something else. */
const SECONDARY_SHARE = 0.6;

export function intentOf(task: string, { matches, confidence }: RankResult): TaskIntent {
  const [first] = matches;
  return {
    label: first?.id ?? NO_INTENT,
    confidence: first ? confidence : 0,
    normalizedTask: normalizeTask(task),
  };
}

export function matchedCapabilities(
  { matches }: Pick<RankResult, "matches">,
  { capabilityOf }: PlanParts,
): MatchedCapability[] {
  return matches.flatMap(({ id, score, reasons }) => {
    const capability = capabilityOf(id);
    if (!capability) return [];
    const said = reasons.filter((reason, at) => !reasons.slice(0, at).some((each) => isSame(each, reason)));
    return [{ capability: { id, name: capability.name, ...callOf(capability) }, score, reasons: said }];
  });
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

export function plan(
  { matches, confidence }: Pick<RankResult, "matches" | "confidence">,
  task: string,
  parts: PlanParts,
): PlannedStep[] {
  const [first] = matches;
  const primary = first && parts.capabilityOf(first.id);
  if (!first || !primary) return [];
  const place = { label: first.id, confidence };
  const step = toStep(primary, task, place, parts);
  const secondary = matches
    .slice(1)
    .filter(({ score }) => score >= first.score * SECONDARY_SHARE)
    .flatMap(({ id }) => parts.capabilityOf(id) ?? [])
    .filter((other) => standsIn(other, primary))
    .map((other) => toStep(other, task, place, parts))
    .find((other) => other.risk === "read" && usesTask(other, task) >= usesTask(step, task));
  return [{ ...step, step: 1 }, ...(secondary ? [{ ...secondary, step: 2, fallbackFor: 1 }] : [])];
}

/** Whether the call contains anything from the task: an empty summary does not replace a search. */
const usesTask = ({ payload }: Step, task: string): number =>
  Object.values(payload).some((value) => typeof value === "string" && value !== "" && task.includes(value))
    ? 1
    : 0;

/** One part of a task with several requests, ranked on its own. */
export interface RankedPart {
  readonly text: string;
  readonly ranked: Pick<RankResult, "matches" | "confidence">;
}

/** A step for each part, in order. Missing input is taken from the output of the previous step. */
export function planParts(ranked: readonly RankedPart[], parts: PlanParts): PlannedStep[] {
  return ranked
    .flatMap(({ text, ranked: { matches, confidence } }) => {
      const [first] = matches;
      const capability = first && parts.capabilityOf(first.id);
      return capability
        ? [
            {
              step: { ...toStep(capability, text, { label: first.id, confidence }, parts), part: text },
              capability,
            },
          ]
        : [];
    })
    .map(({ step, capability }, at) => ({
      ...fed(at === 0 ? step : continued(step, step.part, capability), at),
      step: at + 1,
    }));
}

/** "then subtract 8": of two numbers the first is the previous result, unless "from 500" or "by it" says otherwise. */
function continued<S extends Step>(step: S, part: string, { tools }: Capability): S {
  const [only, ...others] = step.missing ?? [];
  const tool = tools.find(({ name }) => name === step.tool);
  const [first, second, third] = parametersOf(tool?.input.jsonSchema ?? {}).filter(
    ({ required, schema }) => required && (schema.type === "number" || schema.type === "integer"),
  );
  const number = first && step.payload[first.name];
  if (!first || !second || third || others.length > 0 || only !== second.name || number === undefined)
    return step;
  if (SAYS_ITS_PLACE.test(part)) return step;
  const { [first.name]: _, ...rest } = step.payload;
  return { ...step, payload: { ...rest, [second.name]: number }, missing: [first.name] };
}

/** "divide 100 by it", "subtract that from 500". */
const SAYS_ITS_PLACE =
  /(?<!\p{L})(?:(?:by|durch|entre|por|par)\s+(?:it|that|this|the result|es|das|eso|cela|isso)(?!\p{L})|(?:from|von|de|a)\s+\d)/iu;

type Step = Omit<PlannedStep, "step">;

/** The first step has no previous output. */
function fed({ missing, ...step }: Step, at: number): Step {
  if (!missing) return step;
  return at === 0
    ? { ...step, missing }
    : { ...step, takes: missing.map((input) => ({ input, fromStep: at })) };
}

/** Same kind of action on the same kind of thing, as far as both declare it: a plan cannot replace a logo. */
function standsIn({ routing: other = {} }: Capability, { routing: primary = {} }: Capability): boolean {
  const agree = (mine: readonly string[] = [], theirs: readonly string[] = []) =>
    mine.length === 0 || theirs.length === 0 || mine.some((word) => theirs.includes(word));
  return agree(other.tags, primary.tags) && agree(other.actions, primary.actions);
}

/** Its own route; a capability without one is called by its tool, through the gate. */
const callOf = (
  { id, routing, tools }: Capability,
  tool = tools[0]?.name,
): { route: string; method: string } =>
  routing?.route === undefined
    ? { route: `/v1/capabilities/${id}/tools/${tool ?? ""}`, method: "POST" }
    : { route: routing.route, method: routing.method ?? "POST" };

const calledNamesOf = ({ id, name }: Pick<Capability, "id" | "name">): string[] => [
  ...new Set([id, name, shortName(id), shortName(name)].flatMap((called) => called ?? [])),
];

function toStep(
  capability: Capability,
  task: string,
  { label, confidence }: { readonly label: string; readonly confidence: number },
  { hints: shared = {}, chooseTool: choose }: PlanParts,
): Step {
  const hints = { ...shared, calledNames: calledNamesOf(capability) };
  const tools = choosable(capability);
  const chosen = tools.length > 1 ? choose?.(task, capability, hints) : undefined;
  const tool = tools.find(({ name }) => name === chosen) ?? toolFor(task, tools);
  const schema = tool?.inputSchema ?? {};
  const constants = { ...capability.routing?.payload, ...hints.constants };
  const path = tool?.endpoint?.path;
  const {
    payload,
    missing,
    guessed,
    unplaced: files,
    rest,
  } = mapPayload(task, schema, {
    ...hints,
    constants,
    about: `${tool?.name} ${tool?.description}`,
    ...(path !== undefined && { path }),
  });
  const isOfRoute = capability.routing?.route !== undefined; // its author says what a task to it does
  const unheard =
    tool && tool.risk !== "read" && !isOfRoute
      ? unheardWords({ rest: hints.inEnglish?.(rest) ?? rest, payload, capability, tool })
      : [];
  const unplaced = [
    ...files.filter((value) => !isNamed(value, tool, hints)),
    ...unkeptWord(task, tool),
    ...unheard,
  ];
  return {
    capabilityId: capability.id,
    ...callOf(capability, tool?.name),
    ...(tool && { tool: tool.name }),
    goal: `Execute ${capability.name} for intent ${label}`,
    payload: { ...defaultsOf(schema), ...payload },
    ...(missing.length > 0 && { missing }),
    risk: tool?.risk ?? "write",
    confidence,
    ...(guessed.length > 0 && { guessed }),
    ...(unplaced.length > 0 && { unplaced }),
  };
}

/** `calendar-today` has a place for "today": its name. */
function isNamed(value: string, tool: PlannableTool | undefined, { inEnglish }: PayloadHints): boolean {
  const own = new Set(words(identifierWords(tool?.name ?? "")));
  const said = words(inEnglish?.(value) ?? value);
  return said.length > 0 && said.every((word) => own.has(word));
}

/** "append": a tool that does not speak of it may replace what is there. */
function unkeptWord(task: string, tool: PlannableTool | undefined): string[] {
  const asked = /^\W*(?:please\s+)?(append)\b/i.exec(task)?.[1];
  const says = `${tool?.name} ${tool?.description} ${JSON.stringify(tool?.inputSchema)}`;
  return asked !== undefined && !/append/i.test(says) ? [asked] : [];
}

interface PlannableTool extends ChoosableTool, Pick<AnyTool, "endpoint"> {
  readonly risk: ToolRisk;
}

const choosable = ({ tools }: Capability): PlannableTool[] =>
  tools
    .filter((tool) => whyUnavailable(tool) === undefined)
    .map((tool) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: tool.input.jsonSchema,
      risk: riskOf(tool),
      ...(tool.endpoint && { endpoint: tool.endpoint }),
    }));

/** The tool whose words fit the task best; the first declared one when no word decides. */
function toolFor<T extends ChoosableTool>(task: string, tools: readonly T[]): T | undefined {
  if (tools.length <= 1) return tools[0];
  const best = chooseTool(task, tools)[0];
  return tools.find(({ name }) => name === best?.name) ?? tools[0];
}

/** A plan shows the whole call, so the schema's defaults are written out, except empty ones. */
function defaultsOf(schema: JsonSchema): Record<string, JsonValue> {
  const entries = parametersOf(schema)
    .map(({ name, schema: { default: value } }) => [name, value] as const)
    .filter(([, value]) => value !== undefined && value !== "" && !(isRecord(value) && isEmpty(value)));
  return Object.fromEntries(entries) as Record<string, JsonValue>;
}

const isEmpty = (value: Record<string, unknown>): boolean => Object.keys(value).length === 0;
