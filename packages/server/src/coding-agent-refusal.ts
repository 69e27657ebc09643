/** What `run()` of a coding agent throws, as the failure it stands for; undefined for a fault of our own. */
import { type CapabilityError, capabilityRefused, type Failure, type RunRefusedError } from "@capstan/core";

/** Known by name, not by class: an adapter of the operator's own throws the class of another copy of core. */
export function codingAgentRefusal(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === "CapabilityError") {
    const { agent, capability, message } = error as CapabilityError;
    return capabilityRefused(agent, capability, message).failure;
  }
  return error.name === "RunRefusedError" ? (error as RunRefusedError).failure : undefined;
}
