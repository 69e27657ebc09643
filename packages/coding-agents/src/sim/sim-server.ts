/**
 * A simulated model on loopback that coding agents can be pointed at: four protocols, scripted answers, every request kept.
 *
 * For tests and for `doctor`'s probe. It binds 127.0.0.1 only and knows no secrets: any key is accepted.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { chatDialect } from "./sim-chat.ts";
import type { SimAnswer, SimDialect, SimFrame } from "./sim-frames.ts";
import { geminiDialect } from "./sim-gemini.ts";
import { messagesDialect } from "./sim-messages.ts";
import { type SimScript, simPlan } from "./sim-plan.ts";
import { readSimRequest, type SimProtocol, type SimRequest } from "./sim-request.ts";
import { responsesDialect } from "./sim-responses.ts";

export interface SimOptions {
  /** Decides each answer; without one, the marker in the prompt does. */
  readonly script?: SimScript;
  /** Pause between the words of a slow answer. */
  readonly dripMs?: number;
  /** Pause between the pieces of any other answer, so that nobody joins them on the way; none by default. */
  readonly pieceMs?: number;
}

export interface Sim {
  /** `http://127.0.0.1:<port>`, without `/v1`. */
  readonly url: string;
  /** What was asked so far, side calls (titles, routers, token counts) left out where they can be told. */
  readonly requests: readonly SimRequest[];
  /** Changes the answers from now on; `undefined` goes back to the markers. */
  setScript(script: SimScript | undefined): void;
  clear(): void;
  close(): Promise<void>;
}

const DRIP_MS = 500;
const MAX_BODY_BYTES = 64_000_000; // agents send their whole history, images included
const MAX_KEPT = 1_000;

const ROUTES: readonly (readonly [RegExp, SimProtocol, SimDialect])[] = [
  [/\/messages$/, "messages", messagesDialect],
  [/\/responses$/, "responses", responsesDialect],
  [/\/chat\/completions$/, "chat", chatDialect],
  [/:(stream)?[gG]enerateContent$/, "gemini", geminiDialect],
];
const MODELS = ["sim-model", "gpt-5", "claude-sonnet-4-5"];

export async function startSim(options: SimOptions = {}): Promise<Sim> {
  const requests: SimRequest[] = [];
  let { script } = options;
  let serial = 0;
  const server = createServer((request, response) => {
    serve(request, response, {
      serial: ++serial,
      dripMs: options.dripMs ?? DRIP_MS,
      pieceMs: options.pieceMs ?? 0,
      script,
      keep: (kept) => requests.length < MAX_KEPT && requests.push(kept),
    }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    setScript(next) {
      script = next;
    },
    clear() {
      requests.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Serving {
  readonly serial: number;
  readonly dripMs: number;
  readonly pieceMs: number;
  readonly script: SimScript | undefined;
  readonly keep: (request: SimRequest) => void;
}

async function serve(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const [path = "/"] = (request.url ?? "/").split("?");
  const body = await readBody(request);
  const fixed = fixedAnswer(path, request.method ?? "GET");
  if (fixed) return sendJson(response, fixed.status, fixed.body);
  const route = ROUTES.find(([pattern]) => pattern.test(path));
  if (!route) return sendJson(response, 404, { error: { message: "sim: not found", type: "not_found" } });
  const [, protocol, dialect] = route;
  const asked = readSimRequest(protocol, path, flatHeaders(request), body);
  serving.keep(asked);
  const plan = simPlan(asked, serving.script);
  if (plan.kind === "error") {
    return sendJson(response, plan.status, dialect.error(plan.status, plan.type, plan.message));
  }
  if (!asked.isStream) return sendJson(response, 200, dialect.whole(plan, asked, serving.serial));
  await stream(response, dialect, plan, asked, serving);
}

async function stream(
  response: ServerResponse,
  dialect: SimDialect,
  answer: SimAnswer,
  asked: SimRequest,
  { serial, dripMs, pieceMs }: Serving,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  response.writeHead(200, { "content-type": "text/event-stream", "request-id": `req_sim${serial}` });
  const pauseMs = answer.isSlow ? dripMs : pieceMs;
  for (const frame of dialect.frames(answer, asked, serial)) {
    if (frame.isPaced && pauseMs > 0) await wait(pauseMs, undefined, { signal: gone.signal }).catch(() => {});
    if (gone.signal.aborted) return;
    response.write(sse(frame));
    if (answer.isCut && frame.isPaced) {
      response.destroy();
      return;
    }
  }
  response.end();
}

function sse({ event, data }: SimFrame): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`;
}

/** What needs no plan: token counts, the model list, a look whether anyone is there. */
function fixedAnswer(path: string, method: string): { status: number; body: unknown } | undefined {
  if (/count_tokens$/.test(path)) return { status: 200, body: { input_tokens: 123 } };
  if (/:countTokens$/.test(path)) return { status: 200, body: { totalTokens: 123 } };
  if (/\/models$/.test(path) && method === "GET") return { status: 200, body: modelList() };
  return method === "HEAD" ? { status: 200, body: null } : undefined;
}

const modelList = () => ({
  object: "list",
  has_more: false,
  data: MODELS.map((id) => ({
    id,
    object: "model",
    type: "model",
    display_name: id,
    created: 1,
    owned_by: "sim",
  })),
  models: [],
});

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error("the request is too large for the sim");
    chunks.push(chunk);
  }
  try {
    const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}

const flatHeaders = ({ headers }: IncomingMessage) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { "content-type": "application/json" })
    .end(body === null ? undefined : JSON.stringify(body));
}
