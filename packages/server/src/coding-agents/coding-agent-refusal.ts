/** Converts what `run()` of a coding agent throws to its failure; undefined for a bug of ours. */
import type { Failure } from "@capstan/core";
import { type CapabilityError, capabilityRefused, type RunRefusedError } from "@capstan/core/internal";

/** Identified by name, not by class: an operator's own adapter throws the class of another copy of core. */
export function codingAgentRefusal(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === "CapabilityError") {
    const { agent, capability, message } = error as CapabilityError;
    return capabilityRefused(agent, capability, message).failure;
  }
  return error.name === "RunRefusedError" ? (error as RunRefusedError).failure : undefined;
}
