/** A model provider on loopback with OpenAI's chat protocol and scripted answers, for tests of the whole server. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { noteSaid } from "./token-search.ts";

export interface LlmMessage {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
  readonly tool_call_id?: string;
}

export interface LlmRequest {
  readonly messages: readonly LlmMessage[];
  readonly tools?: readonly { function: { name: string } }[];
  readonly [more: string]: unknown;
}

export interface LlmReply {
  readonly reasoning?: readonly string[];
  readonly text?: readonly string[];
  readonly calls?: readonly { id: string; name: string; input: object }[];
  /** Answer with this status instead. */
  readonly status?: number;
  /** What it says with that status. */
  readonly error?: string;
  /** Wait for this before the last piece of text. */
  readonly until?: Promise<unknown>;
  readonly usage?: { prompt_tokens: number; completion_tokens: number };
}

export interface ScriptedLlm {
  readonly baseUrl: string;
  readonly requests: LlmRequest[];
  /** What it says next; the same function answers every request. */
  script: (request: LlmRequest) => LlmReply;
  close(): Promise<void>;
}

export async function scriptedLlm(script: (request: LlmRequest) => LlmReply): Promise<ScriptedLlm> {
  const requests: LlmRequest[] = [];
  const llm = { script };
  const server = createServer((request, response) => {
    answer(request, response, requests, (asked) => llm.script(asked)).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(llm, {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: () => closed(server),
  });
}

/** The environment that makes a server use it: `model: "openai-compatible/scripted"`. */
export const llmEnvironment = ({ baseUrl }: ScriptedLlm): Record<string, string> => ({
  OPENAI_COMPATIBLE_BASE_URL: baseUrl,
  OPENAI_COMPATIBLE_API_KEY: "test",
  CAPSTAN_MODEL: "openai-compatible/scripted",
});

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  requests: LlmRequest[],
  script: (request: LlmRequest) => LlmReply,
): Promise<void> {
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ data: [{ id: "scripted" }, { id: "scripted-large" }] }));
    return;
  }
  let body = "";
  for await (const part of request) body += part;
  noteSaid("prompt", body);
  const asked: LlmRequest = JSON.parse(body);
  requests.push(asked);
  const reply = script(asked);
  if (reply.status !== undefined) {
    response.writeHead(reply.status, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: reply.error ?? `scripted ${reply.status}` } }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: object, finish: string | null = null, more: object = {}) =>
    response.write(
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: "scripted", choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`,
    );
  for (const text of reply.reasoning ?? []) send({ reasoning_content: text });
  const pieces = reply.text ?? [];
  for (const [index, text] of pieces.entries()) {
    if (index === pieces.length - 1) await reply.until;
    send({ content: text });
  }
  for (const [index, { id, name, input }] of (reply.calls ?? []).entries()) {
    const args = JSON.stringify(input);
    const half = Math.ceil(args.length / 2);
    send({
      tool_calls: [{ index, id, type: "function", function: { name, arguments: args.slice(0, half) } }],
    });
    send({ tool_calls: [{ index, function: { arguments: args.slice(half) } }] });
  }
  const { prompt_tokens, completion_tokens } = reply.usage ?? { prompt_tokens: 10, completion_tokens: 5 };
  const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  send({}, reply.calls?.length ? "tool_calls" : "stop", { usage });
  response.end("data: [DONE]\n\n");
}

/** The text of the last user message. */
export const lastUserText = ({ messages }: LlmRequest): string => {
  const last = messages.findLast(({ role }) => role === "user")?.content;
  return typeof last === "string" ? last : JSON.stringify(last);
};

/** Whether a tool has answered since the last user message. */
export const toolAnswered = ({ messages }: LlmRequest): boolean =>
  messages.findLastIndex(({ role }) => role === "tool") >
  messages.findLastIndex(({ role }) => role === "user");
