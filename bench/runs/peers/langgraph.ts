/** LangGraph's ready-made agent with its Postgres checkpointer, behind an HTTP server; a new thread for each turn. */
import { serve } from "@hono/node-server";
import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { ChatOpenAI } from "@langchain/openai";
import { Hono } from "hono";
import pg from "pg";
import { z } from "zod";

const llm = new ChatOpenAI({
  model: "mock",
  apiKey: "x",
  streaming: true,
  maxRetries: 0,
  configuration: { baseURL: `${process.env.MODEL_URL}/v1` },
});
const add = tool(async ({ a, b }) => String(a + b), {
  name: "add",
  description: "Add two numbers.",
  schema: z.object({ a: z.number(), b: z.number() }),
});
const checkpointer = new PostgresSaver(new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 }));
await checkpointer.setup();
const agent = createReactAgent({ llm, tools: [add], checkpointSaver: checkpointer });
const encoder = new TextEncoder();
const started = Date.now();
let threads = 0;
const app = new Hono();
app.get("/health", (c) => c.text("ok"));
app.post("/fill", async (c) => {
  const { thread, length } = await c.req.json();
  const messages = Array.from({ length }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `What was said in message ${at}, in a sentence or two.`,
  }));
  await agent.updateState({ configurable: { thread_id: thread } }, { messages });
  return c.text("filled");
});
app.post("/run", async (c) => {
  const { message, thread = `${started}-${threads++}` } = await c.req.json();
  const parts = await agent.stream(
    { messages: [{ role: "user", content: message }] },
    { streamMode: "messages", configurable: { thread_id: thread } },
  );
  const body = new ReadableStream({
    async start(controller) {
      for await (const [part] of parts) {
        controller.enqueue(
          encoder.encode(`data: ${JSON.stringify({ id: part.id, delta: part.content })}\n\n`),
        );
      }
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
});
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: "127.0.0.1" });
