import type { CapabilityEntry } from "@capstan/client";

/** An entry of an agent's list: its id, or an object with its options. */
export const capabilityId = (entry: CapabilityEntry): string =>
  typeof entry === "string" ? entry : entry.id;
