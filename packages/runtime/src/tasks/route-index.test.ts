import { staticEmbedding } from "@capstan/builtins";
import { CapabilityRegistry, defineCapability, defineTool, ok, rank } from "@capstan/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { keepInStep, rankCapabilities } from "./route-index.ts";
import { routeTier } from "./route-tier.ts";

const tool = (name: string, description: string) =>
  defineTool({ name, description, input: z.object({}), run: async () => ok({}) });
const THINGS = [
  "boat",
  "pier",
  "pilot",
  "buoy",
  "crane",
  "ferry",
  "lock",
  "tug",
  "crew",
  "berth",
  "quay",
  "rope",
];
const api = defineCapability({
  id: "port_api",
  name: "Port API",
  description: "The operations of the Port API.",
  tools: THINGS.flatMap((thing) => [
    tool(`${thing}_list`, `List every ${thing}.`),
    tool(`${thing}_delete`, `Delete one ${thing}.`),
  ]),
});
const chat = defineCapability({
  id: "chat",
  name: "Chat",
  description: "Talk.",
  tools: [tool("chat", "Talk about anything.")],
  routing: { fallback: true },
});
const registry = CapabilityRegistry.of([api, chat]);
const index = keepInStep(routeTier({ table: staticEmbedding, onError: () => {} }).openIndex(), registry);
const ask = (task: string) =>
  rankCapabilities(task, index.current(), { topK: 5, rejected: true, visible: () => true });

test("a capability of many tools is found by one of them, once, and says which", () => {
  const { matches } = ask("delete one crane");
  expect(matches.map(({ id }) => id)).toEqual(["port_api"]);
  expect(matches[0]?.reasons).toContain("tool:crane_delete");
});

test("near-equal tools of one capability are no doubt about the capability", () => {
  const { confidence } = rank("a crane", index.current());
  expect(ask("a crane").confidence).toBeGreaterThanOrEqual(confidence);
});

test("a tool that is hidden from the caller does not speak for its capability", () => {
  const visible = ({ tool }: { tool?: string | undefined }) => !tool?.startsWith("crane");
  const { matches } = rankCapabilities("delete one crane", index.current(), { topK: 5, visible });
  expect(matches.flatMap(({ reasons }) => reasons)).not.toContain("tool:crane_delete");
});

test("what it does not do is not its task", () => {
  expect(ask("who sings lullabies about stars?").matches[0]?.id).toBe("chat");
  expect(ask("sing me a lullaby about stars").noMatch).toBe(true);
});

test("it goes with all its entries, and plumbing never comes in", () => {
  registry.register(defineCapability({ ...plumbing, id: "pipes", routing: { routable: false } }));
  registry.register(
    defineCapability({ id: "prompt_only", name: "Prompt", description: "Says how to write." }),
  );
  registry.remove("port_api");
  expect(index.current().entries.flatMap((entry) => entry?.document.id ?? [])).toEqual(["chat"]);
});

const plumbing = { name: "Pipes", description: "Asks for access.", tools: [tool("pipe", "Ask for access.")] };
