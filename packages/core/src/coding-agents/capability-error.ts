/**
 * What the library throws: one base class, `CodingAgentError`, with a code, the failure and its next step.
 *
 * Core returns the same refusals as values; only the client throws them.
 */
import { fail } from "../failures/fail.ts";
import type { Failure } from "../failures/failure.ts";
import type { Refused } from "../result.ts";
import type { AgentName } from "./agent-name.ts";

export const GATED_CAPABILITIES = [
  "thinking",
  "thinkingBudget",
  "jsonMode",
  "structuredOutput",
  "resume",
  "fork",
  "skills",
  "mcp",
  "streaming",
  "imageInput",
  "fileAttachments",
  "plugins",
  "stdinInjection",
  "approvalEdits",
] as const;
export type GatedCapability = (typeof GATED_CAPABILITIES)[number];

/** Base class of every error that `@capstan/coding-agents` throws on purpose. */
export class CodingAgentError extends Error {
  /** A row of the failure table, such as `coding_agent_unknown`. */
  readonly code: string;
  readonly nextStep: string;
  readonly failure: Failure;

  constructor(failure: Failure, name = "CodingAgentError") {
    super(failure.message);
    this.name = name;
    this.code = failure.code;
    this.nextStep = failure.nextStep;
    this.failure = failure;
  }
}

/** The agent, its transport or its model cannot do what was asked; thrown before anything starts. */
export class CapabilityError extends CodingAgentError {
  override readonly code = "CAPABILITY_ERROR";
  readonly agent: AgentName;
  readonly capability: GatedCapability;

  constructor(agent: AgentName, capability: GatedCapability, message: string) {
    super(capabilityRefused(agent, capability, message).failure, "CapabilityError");
    this.agent = agent;
    this.capability = capability;
  }
}

/** Invalid options: a field is missing, unknown or of the wrong type. */
export class ValidationError extends CodingAgentError {
  constructor(failure: Failure) {
    super(failure, "ValidationError");
  }
}

/** Any other refusal before or during a run. */
export class RunRefusedError extends CodingAgentError {
  constructor(failure: Failure) {
    super(failure, "RunRefusedError");
  }
}

export const capabilityRefused = (agent: AgentName, capability: GatedCapability, message: string): Refused =>
  fail("CAPABILITY_ERROR", { agent, capability, message });

/** The error to throw for a refusal. */
export function runError(failure: Failure): CodingAgentError {
  const facts = failure.details as { agent: AgentName; capability: GatedCapability } | undefined;
  if (failure.code === "CAPABILITY_ERROR" && facts !== undefined) {
    return new CapabilityError(facts.agent, facts.capability, failure.message);
  }
  return failure.code === "input_invalid" ? new ValidationError(failure) : new RunRefusedError(failure);
}
