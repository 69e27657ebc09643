/** What `run()` of a coding agent throws, as the failure it stands for; undefined for a fault of our own. */
import type { Failure } from "@capstan/core";
import { type CapabilityError, capabilityRefused, type RunRefusedError } from "@capstan/core/internal";

/** Known by name, not by class: an adapter of the operator's own throws the class of another copy of core. */
export function codingAgentRefusal(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === "CapabilityError") {
    const { agent, capability, message } = error as CapabilityError;
    return capabilityRefused(agent, capability, message).failure;
  }
  return error.name === "RunRefusedError" ? (error as RunRefusedError).failure : undefined;
}
