/** A Mastra agent with memory in Postgres, behind Mastra's own server. */

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { serve } from "@hono/node-server";
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { MastraServer } from "@mastra/hono";
import { Memory } from "@mastra/memory";
import { PostgresStore } from "@mastra/pg";
import { Hono } from "hono";
import { z } from "zod";

const model = createOpenAICompatible({
  name: "mock",
  baseURL: `${process.env.MODEL_URL}/v1`,
  apiKey: "x",
}).chatModel("mock");
const add = createTool({
  id: "add",
  description: "Add two numbers.",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: async (input) => {
    const { a, b } = ("context" in input ? input.context : input) as { a: number; b: number };
    return a + b;
  },
});
const storage = new PostgresStore({ id: "pg", connectionString: process.env.DATABASE_URL, max: 20 });
await storage.init();
const bench = new Agent({
  id: "bench",
  name: "bench",
  instructions: "",
  model: model as never, // its type wants one promise for two results; it runs
  tools: { add },
  memory: new Memory({ storage }),
});
const mastra = new Mastra({ agents: { bench }, storage, logger: false });
const app = new Hono();
app.get("/health", (c) => c.text("ok"));
await new MastraServer({ app, mastra }).init();
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: "127.0.0.1" });
