/** What a replay changes, and the agent that results from it. Everything else stays as recorded. */
import type { AgentSpec, CapabilityRef, JsonValue, Result, RuntimeAgent } from "@capstan/core";
import type { Composer } from "../agents/composer.ts";
import type { RuleDraft } from "../rules/rule-store.ts";

/** The name of a model that repeats the recorded answers while its input is as recorded. */
export const RECORDED_MODEL = "recorded";

export interface ReplayChange {
  readonly revision?: number | undefined;
  /** `provider/model`, or `recorded`. */
  readonly model?: string | undefined;
  /** Replace the agent's capabilities with the same id; others are added. */
  readonly capabilities?: readonly CapabilityRef[] | undefined;
  readonly systemPrompt?: string | undefined;
  /** The whole set, instead of the rules in effect. */
  readonly rules?: readonly RuleDraft[] | undefined;
}

/** Stands in for a tool's recorded results, for any arguments. */
export interface StandIn {
  readonly tool: string;
  readonly output: JsonValue;
}

export interface ReplayOptions {
  /** Whether a tool that only reads may run when nothing is recorded. */
  readonly liveReads: boolean;
  readonly standIns: readonly StandIn[];
}

export interface ChangedAgentParts {
  readonly composer: Pick<
    Composer,
    "composeFor" | "composeTrial" | "keptTrial" | "readSpec" | "readRecorded"
  >;
}

/** What the agent was when a run was recorded, where that is known. */
interface RecordedAgent {
  readonly agentId: string;
  readonly user: string;
  readonly revision: number | null;
  readonly versions: Readonly<Record<string, string>> | null;
}

/** The agent of a recorded run with the change, for its user. */
export async function changedAgent(
  { composer }: ChangedAgentParts,
  change: ReplayChange,
  run: RecordedAgent,
): Promise<Result<RuntimeAgent>> {
  const { agentId, user, versions } = run;
  const { revision, model, capabilities, systemPrompt } = change;
  const key = JSON.stringify([
    agentId,
    user,
    run.revision,
    versions,
    revision,
    model,
    capabilities,
    systemPrompt,
  ]);
  return composer.keptTrial(key, () => composeChanged(composer, change, run));
}

async function composeChanged(
  composer: ChangedAgentParts["composer"],
  change: ReplayChange,
  { agentId, user, revision: recorded, versions }: RecordedAgent,
): Promise<Result<RuntimeAgent>> {
  const { revision } = change;
  const spec =
    revision === undefined && recorded !== null
      ? await composer.readRecorded(agentId, recorded, versions ?? {})
      : await composer.readSpec(agentId, user, revision);
  return spec.ok ? composer.composeTrial(changedSpec(spec.value, change), user) : spec;
}

/** A model on trial has no fallbacks: another model would be measured instead. */
const changedSpec = (spec: AgentSpec, { model, capabilities, systemPrompt }: ReplayChange): AgentSpec => ({
  ...spec,
  ...(model !== undefined && { model, fallbackModels: [] }),
  ...(systemPrompt !== undefined && { systemPrompt }),
  ...(capabilities && { capabilities: mergedRefs(spec.capabilities, capabilities) }),
});

function mergedRefs(own: readonly CapabilityRef[], changed: readonly CapabilityRef[]): CapabilityRef[] {
  const byId = new Map(changed.map((ref) => [ref.id, ref]));
  const kept = own.map((ref) => {
    const other = byId.get(ref.id);
    byId.delete(ref.id);
    return other ? { ...ref, ...other } : ref;
  });
  return [...kept, ...byId.values()];
}
