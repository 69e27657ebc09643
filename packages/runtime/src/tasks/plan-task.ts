/**
 * Plans the steps of a task. A task with several requests is ranked part by part: each part that a capability serves becomes a step,
 * in order, and the others are listed as not served.
 */
import { type JsonSchema, ok, plan, type Result } from "@capstan/core";
import {
  inEnglish,
  intentOf,
  type MatchedCapability,
  matchedCapabilities,
  type PayloadHints,
  type PlannedStep,
  planParts,
  type RankResult,
  type TaskIntent,
  type TaskPart,
  type TaskRequest,
  taskParts,
  withSwitches,
} from "@capstan/core/internal";
import { rankCapabilities } from "./route-index.ts";
import type { TieredIndex } from "./route-tier.ts";
import { entryVisible, type VisibilityParts, type Visible, visibleTo } from "./task-visibility.ts";
import type { ToolChooser } from "./tool-choice.ts";

export interface PlanningParts extends VisibilityParts {
  /** Created at the first task: it reads megabytes of embeddings that most starts do not need. */
  readonly index: () => TieredIndex;
  readonly chooseTool: ToolChooser;
  /** The time zone of a place named in a task. */
  readonly timezoneOf: (place: string) => string | undefined;
  /** The English name of a place that the task gives in another language. */
  readonly placeOf: (text: string) => string | undefined;
}

export interface Planned {
  readonly intent: TaskIntent;
  readonly matched: readonly MatchedCapability[];
  readonly steps: readonly PlannedStep[];
  readonly visible: Visible;
  readonly clauses: readonly string[];
  readonly rejected?: RankResult["rejected"];
  /** Parts of the task that nothing serves. */
  readonly unserved: readonly string[];
  readonly notes: readonly string[];
}

export async function planTask(
  parts: PlanningParts,
  request: TaskRequest,
  email: string,
): Promise<Result<Planned>> {
  const visible = await visibleTo(parts, request, email);
  if (!visible.ok) return visible;
  const { capabilityOf } = visible.value;
  const { timezoneOf, placeOf } = parts;
  const hints: PayloadHints = {
    timezoneOf,
    placeOf,
    now: new Date(),
    inEnglish: (text) => inEnglish(text, parts.index().current()),
  };
  const planning = { capabilityOf, hints, chooseTool: parts.chooseTool };
  const rankText = async (text: string): Promise<RankResult> =>
    rankCapabilities(text, await parts.index().forTask(text), {
      topK: request.topK,
      rejected: request.includeRejected,
      visible: entryVisible(visible.value),
    });
  const whole = await rankText(request.task);
  const steps = plan(whole, request.task, planning);
  const requests = withSwitches(taskParts(request.task), inputOf(steps[0], capabilityOf));
  const split = await rankParts(requests, rankText);
  const found = {
    visible: visible.value,
    clauses: whole.clauses,
    ...(whole.rejected && { rejected: whole.rejected }),
  };
  if (split.served.length < 2) {
    return ok({
      ...found,
      intent: intentOf(request.task, whole),
      matched: matchedCapabilities(whole, planning),
      steps,
      unserved: whole.noMatch ? [] : separateOf(split),
      notes: notesOf(whole),
    });
  }
  const best = split.served.map(({ ranked }) => ranked);
  const first = best[0] ?? whole;
  const confidence = Math.min(...best.map((ranked) => ranked.confidence));
  return ok({
    ...found,
    intent: { ...intentOf(request.task, first), confidence },
    matched: matchedCapabilities({ matches: best.flatMap(({ matches }) => matches.slice(0, 1)) }, planning),
    steps: planParts(split.served, planning),
    unserved: split.unserved.map(({ text }) => text),
    notes: [`The task has ${split.served.length + split.unserved.length} parts.`],
  });
}

const inputOf = (step: PlannedStep | undefined, capabilityOf: Visible["capabilityOf"]): JsonSchema =>
  (step && capabilityOf(step.capabilityId)?.tools.find(({ name }) => name === step.tool)?.input.jsonSchema) ??
  {};

interface ServedPart extends TaskPart {
  readonly ranked: RankResult;
}

interface SplitTask {
  readonly served: readonly ServedPart[];
  readonly unserved: readonly TaskPart[];
}

/** A part that only the fallback would answer is not a request of its own: it says more about the rest. */
async function rankParts(
  parts: readonly TaskPart[],
  rankText: (text: string) => Promise<RankResult>,
): Promise<SplitTask> {
  if (parts.length < 2) return { served: [], unserved: [] };
  const ranked: ServedPart[] = [];
  for (const part of parts) ranked.push({ ...part, ranked: await rankText(part.text) });
  const isServed = ({ ranked: { noMatch, isFallback } }: ServedPart) => !noMatch && !isFallback;
  return { served: ranked.filter(isServed), unserved: ranked.filter((part) => !isServed(part)) };
}

/** A part joined by "and" may belong to the served part ("remind me to call and buy milk"); a new sentence does not. */
const separateOf = ({ served, unserved }: SplitTask): string[] =>
  served.length === 0 ? [] : unserved.filter(({ isSeparate }) => isSeparate).map(({ text }) => text);

function notesOf({ noMatch, isFallback }: RankResult): string[] {
  if (noMatch) return ["No capability fits this task well enough."];
  return isFallback ? ["No capability fits this task; the fallback answers it."] : [];
}
