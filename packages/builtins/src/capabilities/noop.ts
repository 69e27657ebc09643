/** noop: a capability with no prompt and no tools, for tests and demonstrations. */
import { defineCapability } from "@capstan/core";
import { CAPABILITY_IDS } from "../capability-ids.ts";

export const noop = defineCapability({
  id: CAPABILITY_IDS.NOOP,
  name: "No-Op",
  description: "Adds nothing to an agent. For testing and demonstration.",
  icon: "circle-dashed",
  category: "Testing",
});
