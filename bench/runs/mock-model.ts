/**
 * A model without latency: OpenAI's chat completions on loopback. A prompt that ends with a tool's result is answered in
 * 50 chunks, any other with a call of add(2, 3). The bytes are made once; only ids differ.
 */
import http from "node:http";

const CHUNKS = 50;
const usage = { prompt_tokens: 10, completion_tokens: 50, total_tokens: 60 };
const chunk = (delta: object, finish_reason: string | null = null, last = false): string =>
  `data: ${JSON.stringify({
    id: "c1",
    object: "chat.completion.chunk",
    created: 1,
    model: "mock",
    choices: [{ index: 0, delta, finish_reason }],
    ...(last && { usage }),
  })}\n\n`;
const call = (id: string): string =>
  chunk({
    role: "assistant",
    content: null,
    tool_calls: [{ index: 0, id, type: "function", function: { name: "add", arguments: "" } }],
  }) +
  chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":2,"b":3}' } }] }) +
  chunk({}, "tool_calls", true);
const answer =
  chunk({ role: "assistant", content: "" }) +
  Array.from({ length: CHUNKS }, (_, at) => chunk({ content: `tok${at} ` })).join("") +
  chunk({}, "stop", true);

let asked = 0;
http
  .createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const n = ++asked;
      const { messages = [] } = JSON.parse(Buffer.concat(parts).toString() || "{}");
      const text = messages.at(-1)?.role === "tool" ? answer : call(`call_${n}`);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`${text.replaceAll('"c1"', `"c${n}"`)}data: [DONE]\n\n`); // LangGraph merges messages by the response's id
    });
  })
  .listen(Number(process.env.PORT), "127.0.0.1", () => console.log("ready"));
