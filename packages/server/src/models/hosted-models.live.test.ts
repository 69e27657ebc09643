/** Providers with a key whose models only they can list: one of them answers, not the demo, and the picker shows them all. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseSettings } from "../settings/settings.ts";
import { openModelFinder } from "./find-models.ts";
import { modelChoices } from "./model-choices.ts";
import { openServerModels } from "./models.ts";
import { openProviders } from "./providers.ts";

let server: Server;
let listed: object[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    const isKnown = request.url === "/v1/models" && request.headers.authorization === "Bearer k-1";
    response.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isKnown ? { data: listed } : {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => server.close());

/** As listed by OpenRouter, shortened. */
const ROUTED = {
  id: "qwen/qwen3-coder",
  context_length: 262_144,
  architecture: { input_modalities: ["text", "image"], output_modalities: ["text"] },
  pricing: { prompt: "0.00000022", completion: "0.00000095", request: "0" },
  supported_parameters: ["tools", "tool_choice", "temperature"],
};
const AUTO = {
  id: "openrouter/auto",
  context_length: 2_000_000,
  pricing: { prompt: "-1", completion: "-1" },
};

test.each<[string, object[], string]>([
  ["its usual default, where the list has it", [ROUTED, AUTO], "openrouter/openrouter/auto"],
  [
    "the first of the list that calls tools",
    [{ ...ROUTED, id: "a", supported_parameters: [] }, ROUTED],
    "openrouter/qwen/qwen3-coder",
  ],
  ["its usual default, where it lists nothing", [], "openrouter/openrouter/auto"],
])("uses %s", async (_, models, name) => {
  listed = models;
  const { models: opened } = await withKey();
  expect(await opened.defaultModel()).toMatchObject({ name, from: "provider", demo: false });
});

test.each([
  ["OPENROUTER"],
  ["GROQ"],
  ["MISTRAL"],
  ["DEEPSEEK"],
  ["XAI"],
  ["GEMINI"],
  ["OPENAI"],
  ["ANTHROPIC"],
])("a key in %s_API_KEY alone is enough to leave the demo", async (variable) => {
  const { models } = await open({ [`${variable}_API_KEY`]: "k", CAPSTAN_FIND_MODELS: "off" });
  expect(await models.defaultModel()).toMatchObject({ from: "provider", demo: false });
});

test("the picker shows each with its context, its price and what it can do", async () => {
  listed = [ROUTED, AUTO];
  const parts = await withKey();
  const { items, found } = await modelChoices(parts);
  expect(items).toContainEqual({
    name: "openrouter/qwen/qwen3-coder",
    label: "qwen/qwen3-coder",
    provider: "openrouter",
    provider_label: "OpenRouter",
    context_window: 262_144,
    input_price: 0.22,
    output_price: 0.95,
    tools: true,
    images: true,
    thinking: null,
    local: false,
    demo: false,
  });
  expect(items.find(({ name }) => name.endsWith("/auto"))).toMatchObject({ input_price: null });
  expect(found.servers).toEqual([]); // it is not on this machine
  const model = await parts.models.resolve("openrouter/qwen/qwen3-coder");
  expect(model.ok && model.value.contextWindow).toBe(262_144);
});

/** OpenRouter with a saved key, at the address of this test's server. */
const withKey = () => {
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return open({ PATH: "", OLLAMA_HOST: "127.0.0.1:1" }, { apiKey: "k-1", baseUrl });
};

async function open(environment: Record<string, string>, saved?: { apiKey: string; baseUrl: string }) {
  const settings = parseSettings(environment);
  if (!settings.ok) throw new Error(settings.failure.message);
  const store = {
    list: async () => (saved ? [{ provider: "openrouter", ...saved }] : []),
    credentials: async (provider: string) => (provider === "openrouter" ? saved : undefined),
    put: async () => {},
    remove: async () => false,
  };
  const providers = openProviders(settings.value, store as never);
  const enabled = settings.value.CAPSTAN_FIND_MODELS === "on";
  const finder = openModelFinder({ enabled, environment, providers });
  await finder.look();
  const choices = { get: async () => undefined, put: async () => {}, remove: async () => false };
  const models = openServerModels({ settings: settings.value, providers, choices: choices as never, finder });
  return { models, providers };
}
