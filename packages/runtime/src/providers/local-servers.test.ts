import { expect, test } from "vitest";
import { lmStudioModels } from "./local-servers.ts";

const CHAT = "qwen/qwen3-4b-2507";
const EMBEDDING = "text-embedding-nomic-embed-text-v1.5";

/** What LM Studio answers, by its version; an older one answers routes it lacks with 200 and an error. */
const UNKNOWN = { error: "Unexpected endpoint or method." };
const ANSWERS: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  "0.4": {
    "/api/v1/models": {
      models: [
        { type: "embedding", key: EMBEDDING, max_context_length: 2048 },
        {
          type: "llm",
          key: CHAT,
          max_context_length: 262_144,
          loaded_instances: [{ id: CHAT, config: { context_length: 8192 } }],
          capabilities: { vision: false, trained_for_tool_use: true },
        },
      ],
    },
  },
  "0.3": {
    "/api/v0/models": {
      object: "list",
      data: [
        { id: EMBEDDING, type: "embeddings", state: "not-loaded", max_context_length: 2048 },
        {
          id: CHAT,
          type: "llm",
          state: "loaded",
          max_context_length: 262_144,
          loaded_context_length: 8192,
          capabilities: ["tool_use"],
        },
      ],
    },
  },
};

test.each(Object.keys(ANSWERS))("LM Studio %s lists its chat models, context and tools", async (version) => {
  const models = await lmStudioModels(async (path) => ANSWERS[version]?.[path] ?? UNKNOWN);
  expect(models).toEqual([{ id: CHAT, contextWindow: 8192, tools: true, images: false }]);
});

test("an LM Studio that only has OpenAI's list is recognised by the owner it names", async () => {
  const data = [EMBEDDING, CHAT].map((id) => ({ id, object: "model", owned_by: "organization_owner" }));
  const models = await lmStudioModels(async (path) => (path === "/v1/models" ? { data } : UNKNOWN));
  expect(models?.map(({ id }) => id)).toEqual([CHAT]);
  const other = data.map((each) => ({ ...each, owned_by: "somebody" }));
  expect(await lmStudioModels(async (path) => (path === "/v1/models" ? { data: other } : UNKNOWN))).toBe(
    undefined,
  );
});
