/**
 * Every route of the OpenAPI document, tried without a key, with a key of each right and with tokens of an agent and a run:
 * the result must match core's authority table. A route that is in the application and not in the document,
 * or in the document without a cell of the table, fails here, as does a cell that no route covers.
 */
import { type Action, RIGHTS, type Right, rightFor, THINGS, type Thing } from "@capstan/core/internal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operationsOf } from "../../../../tools/fuzz-openapi.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { OPEN_ROUTES as OPEN } from "../fixtures/open-routes.ts";

/** Patterns that the document spells differently. */
const SPELT: Readonly<Record<string, string>> = {
  "GET /v1/sessions/:id/files/*": "GET /v1/sessions/{id}/files/{path}",
  "PUT /v1/sessions/:id/files/*": "PUT /v1/sessions/{id}/files/{path}",
  "DELETE /v1/sessions/:id/files/*": "DELETE /v1/sessions/{id}/files/{path}",
  "GET /v1/agents/:id/a2a/.well-known/agent-card.json": "GET /v1/agents/{id}/a2a/agent-card.json",
  "ALL /api/*": "POST /api/{route}",
  "ALL /mcp": "POST /mcp",
};
const OWNER = "ann@example.com";

let server: TestServer;
let at: string;
let agentId: string;
let sessionId: string;
const keys: Partial<Record<NonNullable<Held>, string>> = { "run token": "run_of-a-run-that-is-over" };
beforeAll(async () => {
  server = await testServer(await freshPglite(), { HOST: "0.0.0.0" });
  at = server.url.replace("0.0.0.0", "127.0.0.1");
  for (const right of RIGHTS) {
    const made = await server.services.keys.create({
      name: right,
      owner: OWNER,
      rights: [right],
      perMinute: 1e6,
    });
    keys[right] = made.key;
  }
  agentId = (await ask("POST", "/v1/agents", "admin", { name: "A", capabilities: ["test_math"] })).body.id;
  keys["agent token"] = (
    await ask("POST", `/v1/agents/${agentId}/tokens`, "admin", { name: "t" })
  ).body.token;
  sessionId = (await ask("POST", "/v1/sessions", "admin", { agent_id: agentId })).body.id;
});
afterAll(() => server.stop());

describe("every route has a decision", () => {
  test("each operation of the document names its cell of the table, or is on the list of public ones", async () => {
    const { document, operations } = await documented();
    const undecided = operations.filter(({ method, path }) => {
      const entry = document.paths[path][method.toLowerCase()];
      const cell = cellNamed(entry["x-capstan-authority"]);
      const isDecided = cell !== undefined && entry["x-capstan-right"] === rightFor(...cell);
      return OPEN[`${method} ${path}`] === undefined && !isDecided;
    });
    expect(undecided).toEqual([]);
  });

  test("each kind of thing that keys can access has a route that covers its cell", async () => {
    const { document, operations } = await documented();
    const shown = new Set(
      operations.flatMap(({ method, path }) => {
        const cell = cellNamed(document.paths[path][method.toLowerCase()]["x-capstan-authority"]);
        return cell ? [cell[0]] : [];
      }),
    );
    const elsewhere: readonly Thing[] = ["network", "host file"]; // covered by the attacks on packages and sources
    expect(THINGS.filter((thing) => !shown.has(thing) && !elsewhere.includes(thing))).toEqual([]);
  });

  test("each route of the application is in the document, or on the list of open ones", async () => {
    const { operations } = await documented();
    const known = new Set(operations.map(({ method, path }) => `${method} ${path}`));
    const routes = new Set(server.app.routes.map(({ method, path }) => `${method} ${path}`));
    const guards = new Set(["ALL /*", "ALL /v1/sessions/:id/*", "ALL /v1/agents/:id/*"]);
    const unknown = [...routes]
      .filter((route) => !guards.has(route) && OPEN[route] === undefined)
      .filter((route) => !known.has(SPELT[route] ?? route.replace(/:(\w+)/g, "{$1}")));
    expect(unknown).toEqual([]);
  });
});

test("a route without its right would let anyone in: every one is tried without a key and with each right", {
  timeout: 300_000,
}, async () => {
  const { document, operations } = await documented();
  const wrong: string[] = [];
  let tried = 0;
  for (const operation of operations) {
    const { method, path } = operation;
    const right: Right | "none" = document.paths[path][method.toLowerCase()]["x-capstan-right"];
    if (OPEN[`${method} ${path}`] !== undefined) continue;
    for (const held of [undefined, "agent token", "run token", ...RIGHTS] as const) {
      if (path.startsWith("/v1/sessions/{id}"))
        await ask("POST", "/v1/sessions", "admin", { id: sessionId, agent_id: agentId });
      const { status, body } = await ask(method, filled(path), held, operation.hasBody ? {} : undefined);
      const expected = expectedRefusal(held, right as Right, path);
      const refused =
        status === 401 || (status === 403 && /right|not allowed to run/.test(body?.message ?? ""));
      tried++;
      if (expected === undefined ? refused : status !== expected)
        wrong.push(`${method} ${path} with ${held ?? "no key"}: ${status} ${body?.code}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(tried).toBeGreaterThan(500);
});

test.each(["/v1/agents", "/v1/packages", "/mcp", "/a2a", "/openai/v1/chat/completions", "/nowhere"])(
  "somebody without a key would make the server hold more than 1 MB, at %s",
  async (path) => {
    for (const authorization of [
      undefined,
      "Bearer cap_guessed",
      "Bearer agt_guessed",
      "Bearer run_guessed",
    ]) {
      let sent = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(stream) {
          sent += 65_536;
          if (sent > 64 * 1024 * 1024) stream.close();
          else stream.enqueue(new Uint8Array(65_536).fill(0x20));
        },
      });
      const headers = { "content-type": "application/json", ...(authorization && { authorization }) };
      const options = { method: "POST", headers, body, duplex: "half" } as RequestInit;
      const status = await fetch(at + path, options).then(
        ({ status }) => status,
        () => 0,
      );
      expect([0, 401, 403, 404, 413]).toContain(status);
      expect(sent, "of 64 MB, what was taken").toBeLessThan(8 * 1024 * 1024);
    }
  },
);

test("a path spelt otherwise would get past the guard", async () => {
  const spellings = [
    "//v1/agents",
    "/v1//agents",
    "/V1/agents",
    "/./v1/agents",
    "/v1/agents/",
    "/%761/agents",
  ];
  for (const path of spellings) {
    const { status, body } = await ask("GET", path, undefined);
    expect(JSON.stringify(body), `${path} gave ${status}`).not.toContain(agentId);
  }
});

test.each(["HEAD", "OPTIONS", "TRACE", "PROPFIND"])(
  "a %s request would read without a key",
  async (method) => {
    const response = await fetch(`${at}/v1/agents`, { method }).catch(() => undefined);
    expect(response === undefined || response.status === 401).toBe(true);
  },
);

function cellNamed(text: string | undefined): [Thing, Action] | undefined {
  const [, action, thing] = /^(see|use|change) (.+)$/.exec(text ?? "") ?? [];
  const known = THINGS.find((each) => each === thing);
  return known && action ? [known, action as Action] : undefined;
}

type Held = Right | "agent token" | "run token" | undefined;

/** Without a key, all our routes are 401; with too little, 403. A token only opens /mcp. */
function expectedRefusal(held: Held, needed: Right, path: string): number | undefined {
  if (held === undefined) return 401;
  if (held === "agent token") return path === "/mcp" ? undefined : 403;
  if (held === "run token") return path === "/mcp" ? 401 : 403; // its run is over
  return RIGHTS.indexOf(held) < RIGHTS.indexOf(needed) ? 403 : undefined;
}

async function documented() {
  const document = (await ask("GET", "/openapi.json", undefined)).body;
  return { document, operations: operationsOf(document) };
}

/** Existing ids where a route looks them up first; otherwise a made-up name. */
const filled = (path: string): string =>
  path
    .replace("/v1/sessions/{id}", `/v1/sessions/${sessionId}`)
    .replace(/\{[^}]+\}/g, "nothing-of-this-name")
    .replace("/events", "/events?format=json");

async function ask(method: string, path: string, right: Held, body?: unknown) {
  const key = right && keys[right];
  const response = await fetch(at + path, {
    method,
    headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : { message: text } };
}
