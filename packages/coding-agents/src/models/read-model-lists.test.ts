import { describe, expect, test } from "vitest";
import {
  ModelListError,
  readAnthropicModels,
  readCodexModels,
  readCopilotModels,
  readCursorModels,
  readGoogleModels,
  readOmpModels,
  readOpenaiModels,
  readOpenclawModels,
  readOpencodeModels,
  readOpenrouterModels,
  readPiModels,
} from "./read-model-lists.ts";

const json = JSON.stringify;

const codexModel = (id: string, efforts: string[], more: object = {}) => ({
  id,
  model: id,
  displayName: id.toUpperCase(),
  hidden: false,
  upgrade: null,
  supportedReasoningEfforts: efforts.map((reasoningEffort) => ({ reasoningEffort, description: "" })),
  inputModalities: ["text", "image"],
  isDefault: false,
  ...more,
});

const OPENCODE = `anthropic/claude-opus-5-5
{
  "id": "claude-opus-5-5",
  "providerID": "anthropic",
  "name": "Claude Opus 5.5",
  "cost": { "input": 4, "output": 20, "cache": { "read": 0.2, "write": 5 } },
  "limit": { "context": 1000000, "output": 128000 },
  "capabilities": { "reasoning": true, "toolcall": true, "input": { "text": true, "image": true } },
  "variants": { "low": { "effort": "low" }, "max": { "effort": "max" } }
}
anthropic/claude-sonnet-4-5
{
  "id": "claude-sonnet-4-5",
  "providerID": "anthropic",
  "name": "Claude Sonnet 4.5",
  "cost": { "input": 3, "output": 15, "cache": { "read": 0.3 } },
  "limit": { "context": 200000, "output": 64000 },
  "capabilities": { "reasoning": true, "toolcall": true, "input": { "image": true } },
  "variants": { "high": { "thinking": { "type": "enabled", "budgetTokens": 16000 } } }
}
google/gemini-embedding-001
{
  "id": "gemini-embedding-001",
  "providerID": "google",
  "name": "Embedding",
  "cost": { "input": 0.15, "output": 0 },
  "limit": { "context": 2048, "output": 1 },
  "capabilities": { "reasoning": false, "toolcall": false, "input": { "image": false } }
}
`;

const COPILOT = `Configuration Settings:

  \`model\`: AI model to use for Copilot CLI; can be changed with /model command.
    - "claude-sonnet-5.5"
    - "gpt-6-sol"

  \`contextTier\`: context window tier (e.g., "default" or "long_context").
    - "not-a-model"
`;

describe("lists that CLIs print", () => {
  test("codex: levels, the default, what it offers instead; hidden ones and other lines are left out", () => {
    const data = [
      codexModel("gpt-6.1-sol", ["low", "max", "ultra"], { isDefault: true }),
      codexModel("gpt-5.5", ["low", "xhigh"], { upgrade: "gpt-6-sol", inputModalities: ["text"] }),
      codexModel("secret", [], { hidden: true }),
    ];
    const stdout = [
      json({ id: 1, result: {} }),
      "not json",
      json({ method: "x" }),
      json({ id: 2, result: { data } }),
    ];
    expect(readCodexModels(stdout.join("\n"), 2)).toMatchObject([
      {
        id: "gpt-6.1-sol",
        levels: ["low", "max", "ultra"],
        isDefault: true,
        images: true,
        successorModelId: undefined,
      },
      {
        id: "gpt-5.5",
        levels: ["low", "xhigh"],
        isDefault: false,
        images: false,
        successorModelId: "gpt-6-sol",
      },
    ]);
  });

  test("opencode: prices, windows, levels; a budget is no level, and what calls no tools is no model for us", () => {
    expect(readOpencodeModels(OPENCODE)).toEqual([
      {
        id: "anthropic/claude-opus-5-5",
        name: "Claude Opus 5.5",
        provider: "anthropic",
        contextWindow: 1_000_000,
        maxOutputTokens: 128_000,
        price: [4, 20, 0.2],
        levels: ["low", "max"],
        images: true,
      },
      expect.not.objectContaining({ levels: expect.anything() }),
    ]);
  });

  test("pi: the table, with its short numbers", () => {
    const stdout =
      "provider   model             context  max-out  thinking  images\n" +
      "anthropic  claude-opus-5-5   1M       128K     yes       yes   \n" +
      "openai     gpt-4             8.2K     8.2K     no        no    \n";
    expect(readPiModels(stdout)).toEqual([
      {
        id: "anthropic/claude-opus-5-5",
        provider: "anthropic",
        contextWindow: 1_000_000,
        maxOutputTokens: 128_000,
        images: true,
      },
      {
        id: "openai/gpt-4",
        provider: "openai",
        contextWindow: 8200,
        maxOutputTokens: 8200,
        levels: [],
        images: false,
      },
    ]);
  });

  test("copilot: the ids below the key model, and no others", () => {
    expect(readCopilotModels(COPILOT)).toEqual([{ id: "claude-sonnet-5.5" }, { id: "gpt-6-sol" }]);
  });

  test("omp: JSON with efforts and cost", () => {
    const model = {
      selector: "openai/gpt-6-sol",
      name: "GPT-6 Sol",
      provider: "openai",
      contextWindow: 272_000,
      maxTokens: 128_000,
      reasoning: true,
      thinking: ["low", "xhigh"],
      input: ["text", "image"],
      cost: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 0 },
    };
    expect(readOmpModels(json({ models: [model] }))).toMatchObject([
      { id: "openai/gpt-6-sol", price: [2, 10, 0.2], levels: ["low", "xhigh"], images: true },
    ]);
  });

  test("openclaw: JSON rows by key", () => {
    const models = [
      {
        key: "openai/gpt-6-sol",
        name: "GPT-6 Sol",
        input: "text+image",
        contextWindow: 272_000,
        tags: ["default"],
      },
    ];
    expect(readOpenclawModels(json({ count: 1, models }))).toEqual([
      { id: "openai/gpt-6-sol", name: "GPT-6 Sol", contextWindow: 272_000, isDefault: true, images: true },
    ]);
  });

  test("cursor: one a line, its headings left out; names that differ in the level are a model besides", () => {
    const stdout =
      "Available models\n\nauto - Auto (default)\ngrok-4.5-low - Grok Low\ngrok-4.5-high - Grok High\n\nTip: use --model\n";
    expect(readCursorModels(stdout)).toEqual([
      { id: "auto", name: "Auto", levels: [], isDefault: true },
      { id: "grok-4.5-low", name: "Grok Low", levels: [], isDefault: false },
      { id: "grok-4.5-high", name: "Grok High", levels: [], isDefault: false },
      { id: "grok-4.5", effortNames: { low: "grok-4.5-low", high: "grok-4.5-high" } },
    ]);
  });
});

describe("lists that providers answer", () => {
  test("Anthropic", () => {
    const data = [
      { type: "model", id: "claude-opus-5-5", display_name: "Claude Opus 5.5", max_tokens: 128_000 },
    ];
    expect(readAnthropicModels(json({ data }), "anthropic/")).toMatchObject([
      { id: "anthropic/claude-opus-5-5", name: "Claude Opus 5.5", maxOutputTokens: 128_000 },
    ]);
  });

  test("OpenAI: only what chats", () => {
    const data = ["gpt-6-sol", "gpt-image-2", "text-embedding-3-small", "o3", "gpt-realtime-2.1"].map(
      (id) => ({ id }),
    );
    expect(readOpenaiModels(json({ data })).map(({ id }) => id)).toEqual(["gpt-6-sol", "o3"]);
  });

  test("Google: only what generates, without its folder name", () => {
    const models = [
      {
        name: "models/gemini-3.8-flash",
        displayName: "Gemini 3.8 Flash",
        inputTokenLimit: 1_048_576,
        outputTokenLimit: 65_536,
        supportedGenerationMethods: ["generateContent"],
        thinking: true,
      },
      { name: "models/gemini-embedding-2", supportedGenerationMethods: ["embedContent"] },
    ];
    expect(readGoogleModels(json({ models }))).toMatchObject([
      { id: "gemini-3.8-flash", contextWindow: 1_048_576, maxOutputTokens: 65_536, thinks: true },
    ]);
  });

  test("OpenRouter: prices per token become prices per million", () => {
    const data = [
      {
        id: "anthropic/claude-opus-4.6",
        name: "Claude Opus 4.6",
        context_length: 1_000_000,
        top_provider: { max_completion_tokens: 128_000 },
        pricing: { prompt: "0.000005", completion: "0.000025", input_cache_read: "0.0000005" },
        supported_parameters: ["tools", "reasoning"],
      },
      { id: "x/no-tools", supported_parameters: [] },
    ];
    expect(readOpenrouterModels(json({ data }))).toMatchObject([
      { price: [5, 25, 0.5], provider: "anthropic" },
    ]);
  });
});

test.each([
  ["codex", () => readCodexModels("", 2)],
  ["opencode", () => readOpencodeModels("error: no provider")],
  ["pi", () => readPiModels("No models available.")],
  ["copilot", () => readCopilotModels("unknown command")],
  ["omp", () => readOmpModels("{}")],
  ["openclaw", () => readOpenclawModels('{"models":[]}')],
  ["cursor", () => readCursorModels("Not logged in")],
  ["Anthropic", () => readAnthropicModels("<html>")],
  ["OpenAI", () => readOpenaiModels('{"data":[]}')],
  ["Google", () => readGoogleModels('{"models":{}}')],
  ["OpenRouter", () => readOpenrouterModels("null")],
])("%s: what is no list is refused, so that the old one stays", (_, read) => {
  expect(read).toThrow(ModelListError);
});
