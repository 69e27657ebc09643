/**
 * Odd requests as bytes, because no client library would send them: each row is taken whole or refused with a next step,
 * never 500 and never in part. The rows were written before the first of them was sent.
 */
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

interface Odd {
  readonly method?: string;
  readonly path?: string;
  /** Beside Host; `content-type: application/json` where there is a body and no other headers. */
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
  /** 201 and so on: taken, and then `keeps` stands in the answer. */
  readonly status: number;
  readonly keeps?: string;
}

const JSON_TYPE = "content-type: application/json";
const AGENT = '{"name":"A"}';
const bytesOf = (text: string, encoding: BufferEncoding): Buffer => Buffer.from(text, encoding);
const agent = (rest: string, status: number, keeps?: string): Odd => ({
  method: "POST",
  path: "/v1/agents",
  body: `{"name":"A"${rest}}`,
  status,
  ...(keeps !== undefined && { keeps }),
});
const sent = (headers: readonly string[], body: string | Buffer, status: number): Odd => ({
  method: "POST",
  path: "/v1/agents",
  headers,
  body,
  status,
});
const list = (query: string, status: number): Odd => ({ path: `/v1/agents?${query}`, status });
const head = (method: string, path: string, status: number, ...headers: string[]): Odd => ({
  method,
  path,
  headers,
  status,
});
const post = (path: string, body: string, status: number, ...headers: string[]): Odd => ({
  method: "POST",
  path,
  headers: [JSON_TYPE, "accept: application/json, text/event-stream", ...headers],
  body,
  status,
});
const rpc = (rest: string): string => `{"jsonrpc":"2.0","id":1,${rest}}`;
const run = (rest: string): string =>
  `{"threadId":"t","runId":"r","tools":[],"context":[],"state":{},"forwardedProps":{},${rest}}`;
const chat = (rest: string): string =>
  `{"model":"odd","messages":[{"role":"user","content":"hi"}]${rest ? `,${rest}` : ""}}`;
const AG_UI = "/v1/agents/{agent}/ag-ui";
const A2A = "/v1/agents/{agent}/a2a";
const OPENAI = "/openai/v1/chat/completions";
const TASK = "/api/execute-task";
const EVENTS = "/v1/sessions/{session}/events";

const ROWS: Record<string, Odd> = {
  "a key that is the same only once its escapes are read": agent(String.raw`,"n\u0061me":"B"`, 400),
  "a body without a content type": sent([], AGENT, 415),
  "a form": sent(["content-type: application/x-www-form-urlencoded"], "name=A", 415),
  "two content types": sent([JSON_TYPE, "content-type: text/plain"], AGENT, 400),
  "a body in UTF-16 that says so": sent([`${JSON_TYPE}; charset=utf-16`], bytesOf(AGENT, "utf16le"), 415),
  "a body in Latin-1 that says so": sent(
    [`${JSON_TYPE}; charset=iso-8859-1`],
    bytesOf('{"name":"é"}', "latin1"),
    415,
  ),
  "bytes that are not UTF-8": sent([JSON_TYPE], bytesOf('{"name":"é"}', "latin1"), 400),
  "a byte order mark is no part of the text": { ...agent("", 201, '"name":"A"'), body: `\uFEFF${AGENT}` },
  "a body in gzip": sent([JSON_TYPE, "content-encoding: gzip"], gzipSync(AGENT), 415),
  "a file in gzip": {
    method: "PUT",
    path: "/v1/sessions/{session}/files/a.txt",
    headers: ["content-encoding: gzip"],
    body: gzipSync("text"),
    status: 415,
  },
  "an empty body": sent([JSON_TYPE], "", 400),
  "a second document behind the first": sent([JSON_TYPE], `${AGENT}\n${AGENT}`, 400),
  "a list instead of an object": sent([JSON_TYPE], `[${AGENT}]`, 422),
  "null instead of an object": sent([JSON_TYPE], "null", 422),
  "a key called constructor is kept": agent(',"metadata":{"constructor":"x"}', 201, '"constructor":"x"'),
  "a key called toString is kept": agent(',"metadata":{"toString":"x"}', 201, '"toString":"x"'),
  "__proto__ as the name of a tool": agent(',"tool_policies":{"__proto__":"deny"}', 400),
  "a number that is infinite": agent(',"metadata":{"a":1e400}', 400),
  "an integer that would be rounded": agent(',"metadata":{"id":12345678901234567890}', 400),
  "an integer as JavaScript writes it is kept": agent(
    ',"metadata":{"id":18446744073709552000}',
    201,
    "18446744073709552000",
  ),
  "minus zero is zero": {
    method: "POST",
    path: "/v1/capabilities/test_math/tools/add",
    body: '{"input":{"a":-0,"b":-0}}',
    status: 200,
  },
  "half a character in a name": {
    ...agent("", 400),
    body: String.raw`{"name":"\ud800"}`,
  },
  "half a character in a key": agent(String.raw`,"metadata":{"\udc00":1}`, 400),
  "a whole character in two escapes is kept": agent(String.raw`,"description":"\ud83d\ude00"`, 201, "😀"),
  "a parameter that is given twice": list("limit=1&limit=2", 422),
  "a limit in hexadecimal": list("limit=0x10", 422),
  "a limit as a power": list("limit=1e1", 422),
  "an empty limit": list("limit=", 422),
  "a limit with a space": list("limit=%205", 422),
  "a limit with a sign": list("limit=%2B5", 422),
  "a limit in digits of another script": list("limit=%D9%A5", 422),
  "a version in hexadecimal": { path: "/v1/audit?limit=0x10", status: 422 },
  "a parameter with a different case": list("Limit=5", 422),
  "a method as a parameter": { method: "POST", path: "/v1/agents?_method=DELETE", body: AGENT, status: 422 },
  "a cursor that was encoded twice": list("cursor=%2531%252C2", 400),
  "NUL in a filter": list("q=%00", 422),
  "half an escape in a filter": list("q=%E0%A4", 400),
  "half an escape behind a filter": list("q=a%", 400),
  "one byte of three in a filter": list("q=%E0", 400),
  "a filter in Latin-1": list("q=%E9", 400),
  "a value without a name": list("=x", 400),
  "a filter that is not escaped": list("q=\u00e9", 400),
  "a percent sign that is escaped": list("q=50%25", 200),
  "a slash inside an id": head("GET", "/v1/agents/a%2Fb", 404),
  "NUL inside an id": head("GET", "/v1/agents/a%00b", 404),
  "half an escape inside an id": head("GET", "/v1/agents/%E0%A4%A", 404),
  "a slash that was encoded too long": head("GET", "/v1/agents/%C0%AF", 404),
  "two keys": head("GET", "/v1/agents", 400, "authorization: Bearer a", "Authorization: Bearer b"),
  "a key of another scheme": head("GET", "/v1/agents", 401, "authorization: Basic YTpi"),
  "two keys in one header": head("GET", "/v1/agents", 401, "authorization: Bearer a, Bearer b"),
  "two origins": head("GET", "/v1/agents", 400, "origin: http://a.example", "origin: http://b.example"),
  "two hosts": head("GET", "/v1/agents", 400, "host: evil.example"),
  TRACE: head("TRACE", "/v1/agents", 405),
  "OPTIONS from no page": head("OPTIONS", "/v1/agents", 405),
  PROPFIND: head("PROPFIND", "/v1/agents", 405),
  "HEAD where there is only POST": head("HEAD", "/v1/route", 405),
  "HEAD where there is GET": head("HEAD", "/v1/agents", 200),
  "a method that is none": head("FOO", "/v1/agents", 501),
  "a request that is none": head("\u0016\u0003\u0001", "/", 400),
  "headers without an end": head("GET", "/v1/agents", 431, `x: ${"x".repeat(100_000)}`),
  "another method in a header": sent([JSON_TYPE, "x-http-method-override: DELETE"], AGENT, 400),
  "a body in chunks": {
    ...sent([JSON_TYPE, "transfer-encoding: chunked"], 'c\r\n{"name":"A"}\r\n0\r\n\r\n', 201),
    keeps: '"name":"A"',
  },
  "a client that waits to be let in": sent([JSON_TYPE, "expect: 100-continue"], AGENT, 201),
  "a client that expects something else": sent([JSON_TYPE, "expect: 200-maybe"], AGENT, 417),
  "a task whose key is given twice": post(
    TASK,
    '{"task":"add 1 and 2"}',
    400,
    "idempotency-key: a",
    "idempotency-key: b",
  ),
  "a task with a key of 10 kB": post(
    TASK,
    '{"task":"add 1 and 2"}',
    422,
    `idempotency-key: ${"k".repeat(10_000)}`,
  ),
  "a task with an empty key": post(TASK, '{"task":"add 1 and 2"}', 422, "idempotency-key:"),
  "a new agent under a key that nothing keeps": {
    ...sent([JSON_TYPE, "idempotency-key: once"], AGENT, 400),
    keeps: "only POST /api/execute-task works once",
  },
  "a change under a key: it may be repeated anyway": {
    ...head("PATCH", "/v1/agents/{agent}", 200, JSON_TYPE, "idempotency-key: once"),
    body: '{"description":"odd"}',
  },
  ...Object.fromEntries(
    ["If-Match", "If-None-Match", "If-Unmodified-Since"].map((name) => [
      `a change that depends on ${name}`,
      {
        ...head("PATCH", "/v1/agents/{agent}", 400, JSON_TYPE, `${name}: *`),
        body: '{"description":"lost"}',
        keeps: "refused with 409",
      },
    ]),
  ),
  "a file that depends on another": {
    ...head("PUT", "/v1/sessions/{session}/files/a.txt", 400, 'if-match: "1"'),
    body: "text",
  },
  "a condition on what is only read": head("GET", "/v1/agents/{agent}", 200, 'if-match: "1"'),
  "OpenAI: a key and the headers of its clients": post(
    OPENAI,
    chat(""),
    200,
    "idempotency-key: stainless-node-retry-1",
    "x-stainless-retry-count: 0",
    "if-match: *",
  ),
  "AG-UI: a key": post(
    AG_UI,
    run('"messages":[{"id":"m","role":"user","content":"hi"}]'),
    200,
    "idempotency-key: once",
  ),
  "A2A: a key": post(A2A, rpc('"method":"tasks/get","params":{"id":"x"}'), 200, "idempotency-key: once"),
  "MCP: a key": post("/mcp?agent={agent}", rpc('"method":"ping"'), 200, "idempotency-key: once"),
  "a task that is a list": post(TASK, '{"task":["add 1 and 2"]}', 422),
  "events after a word": head("GET", EVENTS, 422, "last-event-id: abc"),
  "events after a negative number": head("GET", EVENTS, 422, "last-event-id: -1"),
  "events after a hexadecimal number": head("GET", EVENTS, 422, "last-event-id: 0x10"),
  "events after two places": head("GET", EVENTS, 400, "last-event-id: 1", "last-event-id: 2"),
  "MCP: a misspelt parameter": post("/mcp?agnet=x", rpc('"method":"ping"'), 422),
  "MCP: two agents": post("/mcp?agent={agent}&agent=other", rpc('"method":"ping"'), 422),
  "MCP: text that is not JSON": post("/mcp?agent={agent}", "{", 400),
  "MCP: a batch of a version that has none": post(
    "/mcp?agent={agent}",
    `[${rpc('"method":"ping"')}]`,
    400,
    "mcp-protocol-version: 2025-06-18",
  ),
  "MCP: a batch of a version that has them": {
    ...post(
      "/mcp?agent={agent}",
      `[${rpc('"method":"ping"')},{"jsonrpc":"2.0","id":2,"method":"tools/list"}]`,
      200,
      "mcp-protocol-version: 2025-03-26",
    ),
    keeps: "ask_agent",
  },
  "MCP: a batch with one id twice": post(
    "/mcp?agent={agent}",
    `[${rpc('"method":"ping"')},${rpc('"method":"ping"')}]`,
    400,
  ),
  "MCP: a form": {
    method: "POST",
    path: "/mcp?agent={agent}",
    headers: [
      "content-type: application/x-www-form-urlencoded",
      "accept: application/json, text/event-stream",
    ],
    body: rpc('"method":"ping"'),
    status: 415,
  },
  "MCP: params as a text": post("/mcp?agent={agent}", rpc('"method":"tools/list","params":"x"'), 400),
  "MCP: a cursor that nobody gave": {
    ...post("/mcp?agent={agent}", rpc('"method":"tools/list","params":{"cursor":"garbage"}'), 200),
    keeps: "-32602",
  },
  "MCP: an empty cursor, as some clients begin": {
    ...post("/mcp?agent={agent}", rpc('"method":"tools/list","params":{"cursor":""}'), 200),
    keeps: "ask_agent",
  },
  "MCP: a version from the future": post(
    "/mcp?agent={agent}",
    rpc('"method":"tools/list"'),
    400,
    "mcp-protocol-version: 2999-01-01",
  ),
  "MCP: nobody who can read the answer": {
    method: "POST",
    path: "/mcp?agent={agent}",
    headers: [JSON_TYPE, "accept: image/png"],
    body: rpc('"method":"tools/list"'),
    status: 406,
  },
  "A2A: a misspelt parameter": post(`${A2A}?x=1`, rpc('"method":"tasks/get","params":{"id":"x"}'), 422),
  "A2A: a card's misspelt parameter": head("GET", "/.well-known/agent-card.json?agnet=x", 422),
  "A2A: plain text": {
    method: "POST",
    path: A2A,
    headers: ["content-type: text/plain"],
    body: rpc('"method":"tasks/get","params":{"id":"x"}'),
    status: 415,
  },
  "A2A: another JSON-RPC": post(A2A, '{"jsonrpc":"1.0","id":1,"method":"tasks/get"}', 200),
  "A2A: a batch": post(A2A, `[${rpc('"method":"tasks/get"')}]`, 200),
  "A2A: an id that is an object": post(A2A, '{"jsonrpc":"2.0","id":{},"method":"tasks/get"}', 200),
  "A2A: text that is not JSON": post(A2A, "{", 200),
  "A2A: half a character": post(A2A, rpc(String.raw`"method":"\ud800"`), 400),
  "OpenAI: a misspelt parameter": post(`${OPENAI}?x=1`, chat(""), 400),
  "OpenAI: a list with a misspelt parameter": head("GET", "/openai/v1/models?limit=1", 400),
  "OpenAI: a version, as clients for Azure send it": {
    ...post(`${OPENAI}?api-version=preview`, chat(""), 200),
    keeps: "chat.completion",
  },
  "OpenAI: messages that are an object": post(OPENAI, '{"model":"odd","messages":{}}', 400),
  "OpenAI: stream as a text": post(OPENAI, chat('"stream":"true"'), 400),
  "OpenAI: an infinite temperature": post(OPENAI, chat('"temperature":1e400'), 400),
  "OpenAI: a form": {
    method: "POST",
    path: OPENAI,
    headers: ["content-type: application/x-www-form-urlencoded"],
    body: chat(""),
    status: 415,
  },
  "OpenAI: a route that OpenAI has and we do not": {
    ...post("/openai/v1/embeddings", '{"model":"odd","input":"hi"}', 404),
    keeps: '"type":"not_found_error"',
  },
  "OpenAI: another method": { ...head("DELETE", OPENAI, 405), keeps: '"error":{"message"' },
  "OpenAI: a key of another scheme": {
    ...head("GET", "/openai/v1/models", 401, "authorization: Basic YTpi"),
    keeps: '"type":"authentication_error"',
  },
  "OpenAI: an unknown key": {
    ...post(OPENAI, chat(""), 401, "authorization: Bearer cap_unknown"),
    keeps: '"type":"authentication_error"',
  },
  "OpenAI: half a character": {
    ...post(OPENAI, chat(String.raw`"user":"\ud800"`), 400),
    keeps: '"error":{"message"',
  },
  "AG-UI: a misspelt parameter": post(`${AG_UI}?x=1`, run('"messages":[]'), 422),
  "AG-UI: messages that are an object": post(AG_UI, run('"messages":{}'), 422),
  "AG-UI: a thread that is a number": post(AG_UI, '{"threadId":1,"runId":"r","messages":[]}', 422),
  "AG-UI: half a character in a message": post(
    AG_UI,
    run(String.raw`"messages":[{"id":"m","role":"user","content":"\ud800"}]`),
    400,
  ),
  "AG-UI: plain text": {
    method: "POST",
    path: AG_UI,
    headers: ["content-type: text/plain"],
    body: run('"messages":[{"id":"m","role":"user","content":"hi"}]'),
    status: 415,
  },
};

describe.each(STORES)("on $name", ({ fresh }) => {
  let server: TestServer;
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    server = await testServer(await fresh());
    ids.agent = (await server.call("POST", "/v1/agents", { name: "odd" })).body.id;
    ids.session = (await server.call("POST", "/v1/sessions", { agent_id: ids.agent })).body.id;
  });
  afterAll(async () => server?.stop());

  test.each(Object.entries(ROWS))("%s", async (_promise, odd) => {
    const { status, text, type } = await send(server.url, filled(odd, ids));
    expect({ status, text }).toMatchObject({ status: odd.status });
    if (status >= 400 && odd.method !== "HEAD") expectNextStep(text, type);
    else if (odd.path === A2A) expect(JSON.parse(text).error).toMatchObject({ message: expect.any(String) });
    expect(text).toContain(odd.keeps ?? "");
  });
});

/** Ours, OpenAI's or JSON-RPC's: whatever the client reads, it says what is wrong. */
function expectNextStep(text: string, type: string): void {
  const { nextStep, code, error } = JSON.parse(text);
  if (error) expect(error).toMatchObject({ message: expect.stringMatching(/\w/) });
  else {
    expect(type).toBe("application/problem+json");
    expect({ nextStep, code }).toEqual({ nextStep: expect.stringMatching(/\w/), code: expect.any(String) });
  }
}

const filled = (odd: Odd, ids: Record<string, string>): Odd => ({
  ...odd,
  path: (odd.path ?? "/").replaceAll(/\{(\w+)\}/g, (_all, name) => ids[name] ?? ""),
});

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

function send(url: string, { method = "GET", path, headers, body = "" }: Odd): Promise<Answer> {
  const { hostname, port, host } = new URL(url);
  const given = headers ?? (body === "" ? [] : [JSON_TYPE]);
  const isChunked = given.some((line) => line.startsWith("transfer-encoding"));
  const length = isChunked || method === "GET" ? [] : [`content-length: ${Buffer.byteLength(body)}`];
  const lines = [`${method} ${path} HTTP/1.1`, `host: ${host}`, "connection: close", ...length, ...given];
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${lines.join("\r\n")}\r\n\r\n`);
      socket.write(body);
    });
    const parts: Buffer[] = [];
    socket.on("data", (part) => parts.push(part));
    socket.on("error", reject);
    socket.on("close", () => resolve(answerIn(Buffer.concat(parts).toString())));
    socket.setTimeout(5000, () => socket.destroy()); // a stream that was opened by mistake
  });
}

function answerIn(text: string): Answer {
  const last = text.replace(/^HTTP\/1\.1 100 [^\r]*\r\n\r\n/, "");
  const [head = "", ...rest] = last.split("\r\n\r\n");
  const body = rest.join("\r\n\r\n");
  const isChunked = /transfer-encoding: chunked/i.test(head);
  return {
    status: Number(head.split(" ")[1] ?? 0),
    type: /^content-type: (.*)$/im.exec(head)?.[1] ?? "",
    text: isChunked ? body.replaceAll(/(?:^|\r\n)[0-9a-f]+\r\n/gi, "").trim() : body,
  };
}
