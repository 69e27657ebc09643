/** The capabilities document of a saved agent: declared from what it is made of, observed from what its runs showed. */
import {
  type AgentCapabilities,
  discover,
  fail,
  NATIVE_AGENT,
  ok,
  type Result,
  type RuntimeAgent,
  type SubAgent,
} from "@capstan/core";
import type { ResolvedModel } from "@capstan/runtime";
import type { Caller } from "../auth/caller.ts";
import type { Services } from "../services.ts";
import { VERSION } from "../version.ts";

export interface DiscoveredAgent {
  readonly declared: AgentCapabilities;
  readonly observed: readonly Record<string, unknown>[];
}

const DEFAULT_MAX_STEPS = 50;
const DEFAULT_MAX_SECONDS = 1800;

export async function agentCapabilities(
  services: Services,
  agentId: string,
  caller: Caller,
): Promise<Result<DiscoveredAgent>> {
  const composed = await services.composer.composeFor(agentId, caller.email);
  if (!composed.ok) return composed;
  const model = await services.models.resolve(composed.value.spec.model);
  if (!model.ok)
    return fail("not_available", {
      what: "The agent's model",
      why: model.failure.message,
      nextStep: model.failure.nextStep,
    });
  const declared = discover({
    agent: composed.value,
    model: modelFacts(services, model.value),
    harness: {
      name: composed.value.spec.harness,
      clientTools: true,
      structuredOutput: true,
      approvals: true,
    },
    server: {
      maxRequestsPerMinute: caller.perMinute,
      defaultMaxSteps: DEFAULT_MAX_STEPS,
      defaultMaxSeconds: DEFAULT_MAX_SECONDS,
      version: VERSION,
    },
    subAgents: subAgentsOf(composed.value),
  });
  return ok({ declared, observed: await services.observations.of(agentId) });
}

function modelFacts({ models }: Services, model: ResolvedModel) {
  const listed = models.registry.model(NATIVE_AGENT, model.name);
  return {
    label: model.label,
    supportsThinking: listed?.supportsThinking ?? false,
    encryptsThinking: (listed?.supportsThinking ?? false) && model.provider === "openai",
    inputs: model.inputs,
    parallelCalls: listed?.supportsParallelToolCalls ?? true,
    toolCalling: listed?.supportsToolCalling ?? true,
  };
}

/** Agents that this one can give work to, by the tools that do it. */
function subAgentsOf({ tools }: RuntimeAgent): SubAgent[] {
  return tools
    .filter(({ tool }) => tool.name.startsWith("delegate_to_"))
    .map(({ tool }) => ({ name: tool.name.slice("delegate_to_".length), description: tool.description }));
}
