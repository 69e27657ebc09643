/** Time to compose an agent of 500 capabilities with 1,500 tools, and to detect that nothing changed. */

import { z } from "zod";
import {
  agentSpec,
  type Capability,
  CapabilityRegistry,
  compose,
  defineCapability,
  defineTool,
  ok,
} from "../../packages/core/src/index.ts";
import { figure, median, report } from "../result.ts";

const ROUNDS = 15;

function capability(at: number): Capability {
  const tools = ["read", "write", "search"].map((verb) =>
    defineTool({
      name: `thing${at}_${verb}`,
      description: `${verb} a thing of kind ${at}, by its name, and say what came of it.`,
      input: z.object({ name: z.string().describe("Its name."), limit: z.int().min(1).default(10) }),
      run: async () => ok("done"),
    }),
  );
  return defineCapability({
    id: `thing${at}`,
    name: `Thing ${at}`,
    description: `Works on things of kind ${at}.`,
    systemPrompt: `Use thing${at}_search before thing${at}_write.`,
    tools,
    ...(at > 0 && at % 10 === 0 && { dependencies: [`thing${at - 1}`] }),
  });
}

function measured(count: number): { ms: number; tools: number } {
  const capabilities = Array.from({ length: count }, (_, at) => capability(at));
  const registry = CapabilityRegistry.of(capabilities);
  const spec = agentSpec({ name: "all", capabilities: capabilities.map(({ id }) => ({ id })) });
  const times: number[] = [];
  let tools = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    const composed = compose(spec, registry, { scopes: ["*"] });
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
    if (!composed.ok) throw new Error(composed.failure.message);
    tools = composed.value.tools.length;
  }
  return { ms: median(times), tools };
}

const stages = [10, 100, 500].map((count) => ({ count, ...measured(count) }));
const ms = (count: number) => stages.find((stage) => stage.count === count)?.ms ?? Number.NaN;
report({
  name: "compose",
  question: "What does it cost to compose an agent?",
  method: `compose() with every scope granted, three tools per capability, a tenth of them with a dependency; the median of ${ROUNDS}, in CPU time, which load on the machine affects little. There is no peer: Mastra and LangGraph receive their tools as an array.`,
  goals: [
    { what: "an agent of 500 capabilities", value: ms(500), atMost: 50, unit: " ms of CPU" },
    {
      what: "cost of a capability, 500 vs 100",
      value: ms(500) / 500 / (ms(100) / 100),
      atMost: 1.5,
      unit: "x",
    },
  ],
  tables: [
    {
      title: "Composing",
      rows: stages.map(({ count, tools, ms: took }) => ({
        capabilities: count,
        tools,
        "CPU ms": figure(took),
      })),
    },
  ],
  plots: [],
});
