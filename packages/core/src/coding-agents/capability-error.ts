/**
 * CapabilityError: what `run()` and `plugins` throw, synchronously, when an agent cannot do what was asked.
 *
 * Core itself returns the same refusal as a value (`CAPABILITY_ERROR`); only the client's edge turns it into a throw.
 */
import { fail } from "../failures/fail.ts";
import type { Failure } from "../failures/failure.ts";
import type { Refused } from "../result.ts";
import type { AgentName } from "./agent-name.ts";

export const GATED_CAPABILITIES = [
  "thinking",
  "thinkingBudget",
  "jsonMode",
  "resume",
  "fork",
  "skills",
  "mcp",
  "streaming",
  "imageInput",
  "fileAttachments",
  "plugins",
] as const;
export type GatedCapability = (typeof GATED_CAPABILITIES)[number];

export class CapabilityError extends Error {
  readonly code = "CAPABILITY_ERROR";
  readonly agent: AgentName;
  readonly capability: GatedCapability;
  readonly nextStep: string;

  constructor(agent: AgentName, capability: GatedCapability, message: string) {
    super(message);
    this.name = "CapabilityError";
    this.agent = agent;
    this.capability = capability;
    this.nextStep = capabilityRefused(agent, capability, message).failure.nextStep;
  }
}

/** Any other refusal before a run, as a throw: `code` is the failure's own. */
export class RunRefusedError extends Error {
  readonly code: string;
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = "RunRefusedError";
    this.code = failure.code;
    this.failure = failure;
  }
}

export const capabilityRefused = (agent: AgentName, capability: GatedCapability, message: string): Refused =>
  fail("CAPABILITY_ERROR", { agent, capability, message });

/** The throw for a refusal of `validateRun`. */
export function runError(failure: Failure): CapabilityError | RunRefusedError {
  const facts = failure.details as { agent: AgentName; capability: GatedCapability } | undefined;
  if (failure.code !== "CAPABILITY_ERROR" || facts === undefined) return new RunRefusedError(failure);
  return new CapabilityError(facts.agent, facts.capability, failure.message);
}
