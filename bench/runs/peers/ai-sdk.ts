/** The AI SDK's own loop behind an HTTP server, without storage: the cost of streaming alone. */

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { serve } from "@hono/node-server";
import { isStepCount, streamText, tool } from "ai";
import { Hono } from "hono";
import { z } from "zod";

const model = createOpenAICompatible({
  name: "mock",
  baseURL: `${process.env.MODEL_URL}/v1`,
  apiKey: "x",
}).chatModel("mock");
const add = tool({
  description: "Add two numbers.",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => a + b,
});
const app = new Hono();
app.get("/health", (c) => c.text("ok"));
app.post("/run", async (c) => {
  const { message } = await c.req.json();
  const messages = [{ role: "user" as const, content: message }];
  return streamText({
    model,
    tools: { add },
    messages,
    stopWhen: isStepCount(5),
  }).toUIMessageStreamResponse();
});
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: "127.0.0.1" });
