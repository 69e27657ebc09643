/** What `run()` of a coding agent throws, as the failure it stands for; undefined for a fault of our own. */
import { CapabilityError, capabilityRefused, type Failure, RunRefusedError } from "@capstan/core";

export function codingAgentRefusal(error: unknown): Failure | undefined {
  if (error instanceof CapabilityError) {
    return capabilityRefused(error.agent, error.capability, error.message).failure;
  }
  return error instanceof RunRefusedError ? error.failure : undefined;
}
