/** The capabilities document of a saved agent: declared from its parts, observed from its runs. */
import { type AgentCapabilities, discover, fail, ok, type Result, type RuntimeAgent } from "@capstan/core";
import { type DiscoveredModel, type ModelCapabilities, NATIVE_AGENT } from "@capstan/core/internal";
import {
  type AgentReleases,
  type Composer,
  DEFAULT_LIMITS,
  type Observations,
  type ResolvedModel,
  runTools,
} from "@capstan/runtime";
import { cliModel } from "../harness/cli-model.ts";
import type { Harnesses } from "../harness/open-harnesses.ts";
import type { Caller } from "../http/caller.ts";
import type { ServerModels } from "../models/models.ts";
import { VERSION } from "../settings/version.ts";

export interface DiscoveredAgent {
  readonly agent: RuntimeAgent;
  readonly declared: AgentCapabilities;
  readonly observed: readonly Record<string, unknown>[];
}

export interface AgentCapabilityParts {
  readonly composer: Composer;
  readonly releases: AgentReleases;
  readonly observations: Observations;
  readonly models: ServerModels;
  readonly harnesses: Harnesses;
}

export async function agentCapabilities(
  services: AgentCapabilityParts,
  agentId: string,
  caller: Caller,
): Promise<Result<DiscoveredAgent>> {
  const composed = await services.composer.showFor(agentId, caller.email);
  if (!composed.ok) return composed;
  const agent = composed.value;
  const { harness } = agent.spec;
  const takesTools = harness === NATIVE_AGENT || (await services.harnesses.driver(harness).takesTools());
  const model =
    harness === NATIVE_AGENT
      ? await nativeModel(services, agent)
      : ok(await harnessModel(services, agent, takesTools));
  if (!model.ok) return model;
  const version = await services.releases.current(agent.spec);
  if (!version.ok) return version;
  const declared = discover({
    agent,
    version: version.value,
    model: model.value,
    runTools: runTools(agent),
    harness: { name: harness, clientTools: takesTools, structuredOutput: true },
    server: {
      maxRequestsPerMinute: caller.perMinute,
      defaultMaxSteps: DEFAULT_LIMITS.maxSteps,
      defaultMaxSeconds: DEFAULT_LIMITS.maxSeconds,
      version: VERSION,
    },
  });
  return ok({ agent, declared, observed: await services.observations.of(agentId) });
}

/** Unknown features of a model are not declared. */
async function nativeModel(
  { models }: AgentCapabilityParts,
  { spec }: RuntimeAgent,
): Promise<Result<DiscoveredModel>> {
  const resolved = await models.resolve(spec.model);
  if (!resolved.ok) {
    const { message: why, nextStep } = resolved.failure;
    return fail("not_available", { what: "The agent's model", why, nextStep });
  }
  const { label, name, provider, abilities } = resolved.value;
  const listed = (await models.registry()).model(NATIVE_AGENT, name);
  // OpenAI does not show its reasoning: what it returns is encrypted.
  const known = abilities ? ownAbilities(abilities) : listedAbilities(listed, provider === "openai");
  return ok({ ...known, label, inputs: knownInputs(resolved.value) });
}

/** Features we never send are false for every model; inputs that a provider takes are true only if the model is known to read them. */
function knownInputs({ inputs, isUnlisted = false }: ResolvedModel): DiscoveredModel["inputs"] {
  return Object.fromEntries(Object.entries(inputs).filter(([, sent]) => !sent || !isUnlisted));
}

/** A coding agent's program has its own models, and accepts images if they do. */
async function harnessModel(
  { models }: AgentCapabilityParts,
  { spec }: RuntimeAgent,
  takesTools: boolean,
): Promise<DiscoveredModel> {
  const registry = await models.registry();
  const asked = cliModel(registry, spec.harness, spec.model);
  const listed =
    asked === undefined ? registry.defaultModel(spec.harness) : registry.model(spec.harness, asked);
  return {
    ...listedAbilities(listed, false),
    ...(!takesTools && { toolCalling: false }),
    label: listed?.modelId ?? asked ?? spec.harness,
    inputs: { ...(listed && { image: listed.supportsImageInput }), audio: false, video: false, pdf: false },
  };
}

type Abilities = Pick<DiscoveredModel, "thinking" | "parallelCalls" | "toolCalling">;

const ownAbilities = ({ thinking, parallelCalls }: NonNullable<ResolvedModel["abilities"]>): Abilities => ({
  thinking: { supported: thinking, streaming: thinking, encrypted: false },
  parallelCalls,
  toolCalling: true,
});

function listedAbilities(listed: ModelCapabilities | null | undefined, encrypts: boolean): Abilities {
  if (!listed) return { toolCalling: true };
  const supported = listed.supportsThinking;
  return {
    thinking: {
      supported,
      streaming: supported && !encrypts && listed.supportsThinkingStreaming,
      encrypted: supported && encrypts,
    },
    parallelCalls: listed.supportsParallelToolCalls,
    toolCalling: listed.supportsToolCalling,
  };
}
