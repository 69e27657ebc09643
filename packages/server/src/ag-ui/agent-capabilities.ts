/** The capabilities document of a saved agent: declared from what it is made of, observed from what its runs showed. */
import { type AgentCapabilities, discover, fail, ok, type Result, type RuntimeAgent } from "@capstan/core";
import { type DiscoveredModel, type ModelCapabilities, NATIVE_AGENT } from "@capstan/core/internal";
import { type Composer, DEFAULT_LIMITS, type Observations } from "@capstan/runtime";
import { cliModel } from "../harness/cli-model.ts";
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
  readonly observations: Observations;
  readonly models: ServerModels;
}

export async function agentCapabilities(
  services: AgentCapabilityParts,
  agentId: string,
  caller: Caller,
): Promise<Result<DiscoveredAgent>> {
  const composed = await services.composer.composeFor(agentId, caller.email);
  if (!composed.ok) return composed;
  const agent = composed.value;
  const model =
    agent.spec.harness === NATIVE_AGENT
      ? await nativeModel(services, agent)
      : ok(await harnessModel(services, agent));
  if (!model.ok) return model;
  const declared = discover({
    agent,
    model: model.value,
    harness: { name: agent.spec.harness, clientTools: true, structuredOutput: true, approvals: true },
    server: {
      maxRequestsPerMinute: caller.perMinute,
      defaultMaxSteps: DEFAULT_LIMITS.maxSteps,
      defaultMaxSeconds: DEFAULT_LIMITS.maxSeconds,
      version: VERSION,
    },
  });
  return ok({ agent, declared, observed: await services.observations.of(agentId) });
}

/** A model nobody has listed is not said to think: what is not known is not declared. */
async function nativeModel(
  { models }: AgentCapabilityParts,
  { spec }: RuntimeAgent,
): Promise<Result<DiscoveredModel>> {
  const resolved = await models.resolve(spec.model);
  if (!resolved.ok) {
    const { message: why, nextStep } = resolved.failure;
    return fail("not_available", { what: "The agent's model", why, nextStep });
  }
  const { label, name, provider, inputs } = resolved.value;
  const listed = (await models.registry()).model(NATIVE_AGENT, name);
  // OpenAI keeps its thoughts: what comes back is for it alone.
  const encryptsThinking = provider === "openai";
  return ok({ ...thinkingOf(listed, encryptsThinking), label, inputs });
}

/** A coding agent's program brings its own models, and takes pictures where they do. */
async function harnessModel(
  { models }: AgentCapabilityParts,
  { spec }: RuntimeAgent,
): Promise<DiscoveredModel> {
  const registry = await models.registry();
  const asked = cliModel(registry, spec.harness, spec.model);
  const listed =
    asked === undefined ? registry.defaultModel(spec.harness) : registry.model(spec.harness, asked);
  const image = listed?.supportsImageInput ?? false;
  return {
    ...thinkingOf(listed, false),
    label: listed?.modelId ?? asked ?? spec.harness,
    inputs: { image, audio: false, video: false, pdf: false },
  };
}

function thinkingOf(listed: ModelCapabilities | null | undefined, encryptsThinking: boolean) {
  const supportsThinking = listed?.supportsThinking ?? false;
  return {
    supportsThinking,
    streamsThinking: supportsThinking && !encryptsThinking && (listed?.supportsThinkingStreaming ?? false),
    encryptsThinking: supportsThinking && encryptsThinking,
    parallelCalls: listed?.supportsParallelToolCalls ?? true,
    toolCalling: listed?.supportsToolCalling ?? true,
  };
}
