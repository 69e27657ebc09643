/** localai.*: the operator's own model server (Ollama or any OpenAI-compatible one), and documents stored with it. */
import { type AnyTool, defineTool, ok } from "@capstan/core";
import { z } from "zod";
import { type CatalogParts, notConfigured } from "./catalog-parts.ts";

const NOT_CONFIGURED = notConfigured(
  "Local AI",
  "Set LOCALAI_BASE_URL, such as http://127.0.0.1:11434/v1, and restart the server.",
);
const NO_DOCUMENTS = notConfigured("The document store", "Start the server with its database.");

export function localAiTools({
  localAi,
  documents,
}: CatalogParts): Record<"chat" | "models" | "stats" | "ingest" | "search", AnyTool> {
  return {
    chat: defineTool({
      name: "localai_chat",
      risk: "read",
      description: "Chat with a local model.",
      input: z.object({ prompt: z.string().min(1).max(100_000), model: z.string().max(200).optional() }),
      timeoutMs: 120_000,
      run: async ({ prompt, model }, { signal }) => {
        const made = await (localAi?.chat({ prompt, model, signal }) ?? NOT_CONFIGURED);
        return made.ok ? ok({ reply: made.value.text, model: made.value.model }) : made;
      },
    }),
    models: defineTool({
      name: "localai_models",
      risk: "read",
      description: "List the models of the local AI server.",
      input: z.object({}),
      idempotent: true,
      run: async (_, { signal }) => {
        const models = await (localAi?.models(signal) ?? NOT_CONFIGURED);
        return models.ok ? ok({ models: models.value }) : models;
      },
    }),
    stats: defineTool({
      name: "localai_stats",
      risk: "read",
      description:
        "Show whether the local AI server is configured, its models, and how many documents are kept.",
      input: z.object({}),
      idempotent: true,
      run: async (_, { user, signal }) => {
        const models = await localAi?.models(signal);
        return ok({
          configured: localAi !== undefined,
          base_url: localAi?.baseUrl ?? null,
          models: models?.ok ? models.value.length : 0,
          documents: (await documents?.count(user.email)) ?? 0,
        });
      },
    }),
    ingest: defineTool({
      name: "localai_ingest",
      risk: "write",
      description: "Store a text so that it can be searched.",
      input: z.object({ text: z.string().min(1).max(1_000_000), title: z.string().max(500).default("") }),
      run: async ({ text, title }, { user }) => {
        if (!documents) return NO_DOCUMENTS;
        const { id } = await documents.add(user.email, { title, text });
        return ok({ id, characters: text.length });
      },
    }),
    search: defineTool({
      name: "localai_search",
      risk: "read",
      description: "Search the stored texts.",
      input: z.object({ query: z.string().min(1).max(2000), limit: z.int().min(1).max(50).default(5) }),
      idempotent: true,
      run: async ({ query, limit }, { user }) => {
        if (!documents) return NO_DOCUMENTS;
        return ok({ query, results: await documents.search(user.email, query, limit) });
      },
    }),
  };
}
