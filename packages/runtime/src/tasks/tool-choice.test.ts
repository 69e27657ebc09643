import { staticEmbedding } from "@capstan/builtins";
import { CapabilityRegistry, defineCapability, defineTool, ok } from "@capstan/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { routeTier } from "./route-tier.ts";
import { createToolChooser } from "./tool-choice.ts";

const tool = (name: string, description: string) =>
  defineTool({ name, description, input: z.object({}), run: async () => ok({}) });
const harbour = defineCapability({
  id: "harbour",
  name: "Harbour",
  description: "Everything of the harbour.",
  tools: [
    tool("boats_list", "List all boats in the harbour."),
    tool("boats_create", "Register a new boat."),
    tool("tides_get", "The height of the water at a time."),
  ],
});
const choose = createToolChooser(
  CapabilityRegistry.of([harbour]),
  routeTier({ table: staticEmbedding, onError: () => {} }),
);

test.each([
  ["which boats lie here", "boats_list"],
  ["enrol my new boat", "boats_create"],
  ["how high is the water at noon", "tides_get"],
])("%j is for %s", (task, name) => {
  expect(choose(task, harbour)).toBe(name);
});

test("a tool that the caller cannot see is never chosen", () => {
  const shown = { ...harbour, tools: harbour.tools.slice(1) };
  expect(choose("list all boats in the harbour", shown)).not.toBe("boats_list");
});

test("unrelated words choose nothing, or an existing tool", () => {
  expect([undefined, "boats_list", "boats_create", "tides_get"]).toContain(choose("qwxz vlorp", harbour));
});
