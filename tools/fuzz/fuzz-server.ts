/** Random requests to a server in this process. Every fault is thrown: a 5xx, another error shape, a hang. */
import fc from "fast-check";
import { operationsOf, requests } from "../fuzz-openapi.ts";
import type { TestServer } from "../test-server.ts";
import { almost, type Json } from "./mutate-json.ts";

/** Routes that would access the network or start programs with random input. */
const LEFT_OUT = new Set([
  "POST /v1/packages",
  "POST /v1/packages/review",
  "POST /v1/services/{name}/{verb}",
  "POST /v1/coding-agents/doctor",
  "POST /v1/coding-agents/{name}/runs",
]);
const HANG_MS = 30_000;
const FAULTS_OF_OTHERS = new Set([502, 503, 504, 507]); // a page that is away, a database that is

export interface KnownIds {
  readonly agent: string;
  readonly session: string;
}

export async function knownIds(server: TestServer): Promise<KnownIds> {
  const agent = await server.call("POST", "/v1/agents", { name: "Known", capabilities: ["test_math"] });
  const session = await server.call("POST", "/v1/sessions", { agent_id: agent.body.id });
  return { agent: agent.body.id, session: session.body.id };
}

/** Every route of the document; answers how many. */
export async function fuzzRoutes(server: TestServer, ids: KnownIds, cases: number): Promise<number> {
  const document = (await server.call("GET", "/openapi.json")).body;
  const operations = operationsOf(document).filter(({ method, path }) => !LEFT_OUT.has(`${method} ${path}`));
  const arbitrary = requests(operations, [ids.agent, ids.session, "test_math", "add"]);
  await fc.assert(
    fc.asyncProperty(arbitrary, (request) => check(server, request)),
    { numRuns: cases, endOnFailure: true },
  );
  return operations.length;
}

const AG_UI: readonly Json[] = [
  { threadId: "t", runId: "r", messages: [], tools: [], context: [], state: {}, forwardedProps: {} },
  {
    threadId: "t-2",
    runId: "r-2",
    state: { a: { b: [1] } },
    forwardedProps: { model: "x" },
    messages: [
      { id: "m1", role: "user", content: "add 1 and 2" },
      { id: "m2", role: "assistant", content: "Yes.", toolCalls: [] },
      { id: "m3", role: "user", content: [{ type: "text", text: "and 3" }] },
    ],
    tools: [{ name: "pick", description: "Picks.", parameters: { type: "object", properties: {} } }],
    context: [{ description: "place", value: "here" }],
  },
  {
    threadId: "t-3",
    runId: "r-3",
    messages: [],
    tools: [],
    context: [],
    state: {},
    resume: [{ interruptId: "i", status: "resolved", payload: { approved: true } }],
  },
];

/** RunAgentInput, almost right. A run that starts must also end. */
export async function fuzzAgUi(server: TestServer, { agent }: KnownIds, cases: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(almost(AG_UI), (input) =>
      check(server, {
        method: "POST",
        url: `http://127.0.0.1/v1/agents/${agent}/ag-ui`,
        body: JSON.stringify(input),
      }),
    ),
    { numRuns: cases, endOnFailure: true },
  );
}

async function check(
  server: TestServer,
  { method, url, body }: { method: string; url: string; body?: string },
): Promise<void> {
  const request = new Request(url, {
    method,
    headers: { host: "127.0.0.1", "content-type": "application/json" },
    ...(body !== undefined && { body }),
  });
  const what = () => `${method} ${url} ${body ?? ""}`;
  const response = await inTime(Promise.resolve(server.fetch(request)), what);
  if (response.headers.get("content-type")?.startsWith("text/event-stream") && !url.includes("/ag-ui"))
    return void (await response.body?.cancel()); // it goes on by design
  const text = await inTime(response.text(), what);
  if (response.status < 400) return;
  if (response.status >= 500 && !FAULTS_OF_OTHERS.has(response.status))
    throw new Error(`${what()}: ${response.status} ${text}`);
  const isRefusal = url.includes("/openai/") ? isOpenAiError : isProblem;
  if (!url.includes("/mcp") && !isRefusal(text))
    throw new Error(`${what()}: ${response.status} has no problem: ${text}`);
}

/** These routes refuse as OpenAI does; what refuses before them answers with a problem. */
function isOpenAiError(text: string): boolean {
  const { error } = JSON.parse(text) as { error?: { message?: unknown; code?: unknown } };
  return (typeof error?.message === "string" && typeof error.code === "string") || isProblem(text);
}

function isProblem(text: string): boolean {
  const { code, message, nextStep } = JSON.parse(text) as Record<string, unknown>;
  return [code, message, nextStep].every((part) => typeof part === "string" && part !== "");
}

function inTime<T>(work: Promise<T>, what: () => string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer in ${HANG_MS} ms: ${what()}`)), HANG_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
