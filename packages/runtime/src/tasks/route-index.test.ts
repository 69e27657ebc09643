import { builtinCapabilities, catalogCapabilities, staticEmbedding } from "@capstan/builtins";
import { type Capability, CapabilityRegistry, defineCapability, defineTool, ok, rank } from "@capstan/core";
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
const index = keepInStep(routeTier({ table: staticEmbedding, onError: () => {} }).createIndex(), registry);
const ask = (task: string) =>
  rankCapabilities(task, index.current(), { topK: 5, rejected: true, visible: () => true });

test("a capability of many tools is found by one of them, once, with its name", () => {
  const { matches } = ask("delete one crane");
  expect(matches.map(({ id }) => id)).toEqual(["port_api"]);
  expect(matches[0]?.reasons).toContain("tool:crane_delete");
});

test("similar tools of one capability do not lower the confidence in it", () => {
  const { confidence } = rank("a crane", index.current());
  expect(ask("a crane").confidence).toBeGreaterThanOrEqual(confidence);
});

test("a tool hidden from the caller does not count for its capability", () => {
  const visible = ({ tool }: { tool?: string | undefined }) => !tool?.startsWith("crane");
  const { matches } = rankCapabilities("delete one crane", index.current(), { topK: 5, visible });
  expect(matches.flatMap(({ reasons }) => reasons)).not.toContain("tool:crane_delete");
});

test("a package of 43 tools does not attract unrelated tasks", () => {
  const catalog = [...builtinCapabilities(), ...catalogCapabilities(), chat].filter(
    ({ tools }) => tools.length > 0,
  );
  const verbs = ["inspect", "count", "feed", "move", "weigh", "label", "photograph"];
  const things = ["hive", "queen bee", "honey frame", "swarm", "smoker", "brood box"];
  const apiary = defineCapability({
    id: "apiary",
    name: "Apiary",
    description: "Work of a beekeeper.",
    tools: [
      ...verbs.flatMap((verb) =>
        things.map((thing) => tool(`${verb}_${thing.replace(" ", "_")}`, `To ${verb} a ${thing}.`)),
      ),
      tool("list_hives", "List all hives."),
    ],
  });
  expect(apiary.tools).toHaveLength(43);
  const firstIn = (capabilities: readonly Capability[]) => {
    const tiered = routeTier({ table: staticEmbedding, onError: () => {} }).createIndex();
    const index = keepInStep(tiered, CapabilityRegistry.of([...capabilities])).current();
    return (task: string) => rankCapabilities(task, index, { topK: 1, visible: () => true }).matches[0]?.id;
  };
  const [without, beside] = [firstIn(catalog), firstIn([...catalog, apiary])];
  for (const task of UNRELATED) expect([task, beside(task)]).toEqual([task, without(task)]);
  expect(beside("weigh the honey frame")).toBe("apiary");
});

const UNRELATED = [
  "what time is it in Tokyo",
  "will it rain in Oslo",
  "12 times 9",
  "write a file notes.txt with hello",
  "suggest a name for my bakery",
  "generate an image of a lighthouse",
  "create a business plan for a small bakery",
  "search the web for electric bikes",
  "order more printer paper",
  "who won the world cup in 1998",
];

test("what it cannot do is not routed to it", () => {
  expect(ask("who sings lullabies about stars?").matches[0]?.id).toBe("chat");
  expect(ask("sing me a lullaby about stars").noMatch).toBe(true);
});

test("it is removed with all its entries, and internal capabilities are never added", () => {
  registry.register(defineCapability({ ...plumbing, id: "pipes", routing: { routable: false } }));
  registry.register(
    defineCapability({ id: "prompt_only", name: "Prompt", description: "Says how to write." }),
  );
  registry.remove("port_api");
  expect(index.current().entries.flatMap((entry) => entry?.document.id ?? [])).toEqual(["chat"]);
});

const plumbing = { name: "Pipes", description: "Asks for access.", tools: [tool("pipe", "Ask for access.")] };
