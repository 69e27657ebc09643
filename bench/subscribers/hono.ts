/** The peer of the subscribers benchmark: an idle `streamSSE` of Hono. */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";

const app = new Hono();
app.get("/health", (c) => c.text("ok"));
app.get("/events", (c) =>
  streamSSE(c, async (stream) => {
    await stream.writeSSE({ data: "hello" });
    await new Promise<void>((resolve) => stream.onAbort(resolve));
  }),
);
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: "127.0.0.1" });
