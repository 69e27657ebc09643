/** Defines a capability and composes an agent from it. No server, no database. */
import { agentSpec, CapabilityRegistry, compose, defineCapability, defineTool, ok } from "@capstan/core";
import { z } from "zod";

const dice = defineCapability({
  id: "dice",
  name: "Dice",
  description: "Rolls dice.",
  systemPrompt: "Roll dice with the roll tool; never make a number up.",
  tools: [
    defineTool({
      name: "roll",
      description: "Roll a die.",
      input: z.object({ sides: z.int().min(2).max(1000).default(6) }),
      run: ({ sides }) => ok({ rolled: 1 + Math.floor(Math.random() * sides) }),
    }),
  ],
});

const agent = agentSpec({ name: "Gambler", systemPrompt: "Be brief.", capabilities: [{ id: "dice" }] });
const composed = compose(agent, CapabilityRegistry.of([dice]), { scopes: [] });
if (!composed.ok) throw new Error(composed.failure.message);

console.log(composed.value.systemPrompt);
console.log(composed.value.tools.map(({ name, policy }) => `${name} (${policy})`).join(", "));
console.log(`${composed.value.tokens.total} tokens per call`);
