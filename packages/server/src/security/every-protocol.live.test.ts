/**
 * Every cell of core's table, tried over every protocol that reaches it beside our own routes (`every-route.live.test.ts`):
 * MCP, A2A, AG-UI, OpenAI, AI SDK, the command line and the tools of a model, on one server. What can be reached and has no
 * cell fails here.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { typeCommand } from "../../../../tools/command-under-test.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { ACTORS, type Actor, cellOf, RIGHTS } from "../../../core/src/authority/authority.ts";
import { A2aHandler } from "../a2a/a2a-handler.ts";
import { SURFACES, type Surface } from "../auth/resources.ts";
import {
  A2A_METHODS,
  type CellName,
  CHATS,
  COMMAND_CELLS,
  TOOL_CELLS,
  TRIED_ELSEWHERE,
} from "../fixtures/protocol-cells.ts";

const OWNER = "ann@example.com";
/** Who can be a client of a protocol; the others are programs without one. */
const CLIENTS = [
  "nobody",
  ...RIGHTS.map((right) => `${right} key` as const),
  "an agent's token",
  "a client's login",
  "a run's token",
] as const;
type Client = (typeof CLIENTS)[number];

let server: TestServer;
let at: string;
let folder: string;
let agent: string;
let session: string;
/** A client logs in to one address, and its token is valid there. */
const logins: Partial<Record<Surface, string>> = {};
const bearers: Partial<Record<Client, string>> = {};
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "capstan-cells-"));
  server = await testServer(await freshPglite(), { HOST: "0.0.0.0" });
  at = server.url.replace("0.0.0.0", "127.0.0.1");
  for (const right of RIGHTS) {
    const key = { name: right, owner: OWNER, rights: [right], perMinute: 1e6 };
    bearers[`${right} key`] = (await server.services.keys.create(key)).key;
  }
  agent = (await ask("author key", "POST", "/v1/agents", { name: "A", capabilities: ["test_math"] })).body.id;
  session = (await ask("run key", "POST", "/v1/sessions", { agent_id: agent })).body.id;
  bearers["an agent's token"] = (
    await ask("run key", "POST", `/v1/agents/${agent}/tokens`, { name: "t" })
  ).body.token;
  bearers["a run's token"] = await tokenOfARun();
  for (const surface of SURFACES) logins[surface] = await tokenOfALogin(surface);
  bearers["a client's login"] = logins.mcp ?? "";
  writeFileSync(join(folder, "agent.yaml"), "name: Applied\ncapabilities:\n  - noop\n");
  writeFileSync(join(folder, "rule.yaml"), "name: R\nthen: deny\ntools: [nothing_like_it]\n");
  writeFileSync(join(folder, "skill.md"), "x");
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const may = (actor: Actor, [action, thing]: CellName): boolean => cellOf(actor, thing).may.includes(action);
/** What an agent's or a run's token may do, it does over MCP alone, and a client's login where it logged in. */
const mayByKey = (client: Client, cell: CellName): boolean => client.endsWith(" key") && may(client, cell);
const mayChat = (client: Client, cell: CellName): boolean =>
  client === "a client's login" ? may(client, asLogin(cell)) : mayByKey(client, cell);
/** A key uses agents; a client that logged in has one, and uses its runs. */
const asLogin = ([action, thing]: CellName): CellName => [action, action === "use" ? "run" : thing];

describe("MCP", () => {
  /** An endpoint for tools: a key must be able to use agents, a token brings its agent along. */
  const opens = (client: Client) =>
    may(client, ["use", client.endsWith(" key") || client === "nobody" ? "agent" : "capability"]);

  test.each(CLIENTS)("%s lists and calls tools by its cell", async (client) => {
    const refused = [401, 403];
    const listed = await rpc(client, "tools/list", {});
    const called = await rpc(client, "tools/call", { name: "add", arguments: { a: 1, b: 2 } });
    expect(refused.includes(listed.status), "tools/list").toBe(!opens(client));
    expect(refused.includes(called.status), "tools/call").toBe(!opens(client));
    if (opens(client)) expect(JSON.stringify(called.result)).toContain('"result":3');
  });

  test.each(CLIENTS)("%s asks the agent itself by its cell", async (client) => {
    const asked = await rpc(client, "tools/call", { name: "ask_agent", arguments: { message: "hello" } });
    const answered = asked.status === 200 && asked.result?.isError !== true;
    const isPerson = client.endsWith(" key") || client === "nobody";
    expect(answered, JSON.stringify(asked)).toBe(may(client, ["use", isPerson ? "agent" : "run"]));
  });

  test("no other method does anything", async () => {
    for (const method of ["resources/list", "prompts/list", "completion/complete", "sampling/createMessage"])
      expect((await rpc("admin key", method, {})).error, method).toMatchObject({ code: -32601 });
  });
});

describe("A2A", () => {
  test("has a cell for each method of its handler", () => {
    const own = Object.getOwnPropertyNames(A2aHandler.prototype);
    const assigned = Object.keys(new A2aHandler({} as never));
    const methods = [...own, ...assigned].filter((name) => name !== "constructor");
    expect(methods.filter((name) => A2A_METHODS[name] === undefined)).toEqual([]);
  });

  test.each(CLIENTS)("%s calls its methods by its cell", async (client) => {
    const wrong: string[] = [];
    for (const { method, params } of Object.values(A2A_METHODS)) {
      const call = { jsonrpc: "2.0", id: 1, method, params };
      const { status, text } = await ask(client, "POST", `/v1/agents/${agent}/a2a`, call, {
        "a2a-version": "1.0",
      });
      const refused = status === 401 || status === 403;
      const isKnown = !/-32601/.test(text);
      if (refused === mayChat(client, ["use", "agent"]) || (!refused && !isKnown))
        wrong.push(`${method}: ${status} ${text.slice(0, 200)}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe("AG-UI, OpenAI and AI SDK", () => {
  test("have a cell for each of their routes", () => {
    const pattern = /^\/(openai\/|v1\/agents\/:id\/(ag-ui|ai-sdk))/;
    const routes = server.app.routes.filter(({ path, method }) => pattern.test(path) && method !== "ALL");
    const known = new Set(
      CHATS.map(({ method, path }) => `${method} ${path.replace("{agent}", ":").replace("none", ":")}`),
    );
    const spelt = ({ method, path }: { method: string; path: string }) =>
      `${method} ${path.replace(/:\w+/g, ":")}`;
    expect([...new Set(routes.map(spelt))].filter((route) => !known.has(route))).toEqual([]);
  });

  test.each(CLIENTS)("%s uses the agent by its cell", async (client) => {
    const wrong: string[] = [];
    for (const { method, path, cell, body } of CHATS) {
      const { status, text } = await ask(client, method, path.replace("{agent}", agent), body?.(agent));
      const refused = status === 401 || status === 403;
      if (refused === mayChat(client, cell) || (!refused && status >= 400 && !/run_not_active/.test(text)))
        wrong.push(`${method} ${path}: ${status} ${text.slice(0, 200)}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe("a client that logged in for one agent", () => {
  test("would see or use another one", async () => {
    const made = await ask("author key", "POST", "/v1/agents", {
      name: "Other",
      capabilities: ["test_math"],
    });
    const other = made.body.id;
    expect((await ask("a client's login", "GET", "/openai/v1/models")).text).not.toContain(other);
    for (const { method, path, body } of CHATS) {
      if (path === "/openai/v1/models") continue;
      const answer = await ask("a client's login", method, path.replace("{agent}", other), body?.(other));
      expect([401, 403, 404], `${method} ${path}: ${answer.text}`).toContain(answer.status);
    }
  });
});

/** That each verb of each command has a cell is tested in tools/authority-table.test.ts. */
describe("the command line", () => {
  test.each(CLIENTS)("%s types each of them by its cell", { timeout: 240_000 }, async (client) => {
    const wrong: string[] = [];
    for (const { type, cell } of COMMAND_CELLS) {
      const args = await Promise.all(type.split(" ").map(filled));
      const { code, out, err } = await typeCommand(at, args, {
        key: bearers[client],
        environment: {},
        lines: ["a-secret-value"],
      });
      const said = `${out}${err}`;
      const refused = /is required|not allowed to|no key was sent|only for|unauthenticated/i.test(err);
      if (refused === mayByKey(client, cell)) wrong.push(`${type}: exit ${code}, ${said.slice(-300)}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe("tools", () => {
  const known = () => server.services.registry.list().map(({ id }) => id);

  test("of the server's own capabilities have their cells", () => {
    expect(known().filter((id) => TOOL_CELLS[id] === undefined)).toEqual([]);
    expect(Object.keys(TOOL_CELLS).filter((id) => !known().includes(id))).toEqual([]);
  });

  test.each(["the model", "an agent's token", "a run's token", "a coding agent's program"] as const)(
    "reach nothing that %s, who calls them, has no cell for",
    (actor) => {
      const beyond = Object.entries(TOOL_CELLS).flatMap(([id, cells]) =>
        [["use", "capability"] as const, ...cells]
          .filter((cell) => !may(actor, cell))
          .map((cell) => [id, ...cell]),
      );
      expect(beyond).toEqual([]);
    },
  );
});

test.each(ACTORS)("%s is tried: here, or by an attack that still exists", (actor) => {
  if (CLIENTS.some((client) => client === actor)) return;
  const [file = "none", title = "none"] = TRIED_ELSEWHERE[actor] ?? [];
  expect(readFileSync(new URL(`../../../../${file}`, import.meta.url), "utf8")).toContain(title);
});

const NONE = "0197a3c1-9f5e-7c1b-b8a4-2f9f0a6b7c11";

async function filled(word: string): Promise<string> {
  if (word === "{throwaway}")
    return (await ask("author key", "POST", "/v1/agents", { name: `T ${crypto.randomUUID()}` })).body.id;
  const known: Readonly<Record<string, string>> = {
    "{agent}": agent,
    "{session}": session,
    "{agentFile}": join(folder, "agent.yaml"),
    "{ruleFile}": join(folder, "rule.yaml"),
    "{package}": join(folder, "skill.md"),
  };
  return known[word] ?? (word.startsWith("{") ? NONE : word.replaceAll("+", " "));
}

/** A run that waits, so that its token is valid. */
async function tokenOfARun(): Promise<string> {
  const { pool } = server.services.database;
  const sent = await ask("run key", "POST", `/v1/sessions/${session}/messages`, { content: "hello" });
  const runId = sent.body.run_id;
  await vi.waitFor(
    async () => expect((await ask("run key", "GET", `/v1/runs/${runId}`)).body.status).toMatch(/done|failed/),
    20_000,
  );
  await pool.query("update runs set status = 'waiting' where id = $1", [runId]);
  const { token } = await server.services.tokens.create({
    runId,
    sessionId: session,
    agentId: agent,
    userEmail: OWNER,
    createdBy: OWNER,
  });
  session = (await ask("run key", "POST", "/v1/sessions", { agent_id: agent })).body.id;
  return token;
}

async function tokenOfALogin(surface: Surface): Promise<string> {
  const paths: Partial<Record<Surface, string>> = { mcp: "/mcp", openai: "/openai/v1" };
  const id = crypto.randomUUID();
  await server.services.database.pool.query(
    `insert into client_logins (id, client_id, client_name, redirect_uri, resource, scopes, agent_id, user_email, code_hash,
       code_challenge, code_expires_at) values ($1, 'c', 'C', 'http://127.0.0.1/', $2, '["tools"]', $3, $4, $5, '', now())`,
    [id, at + (paths[surface] ?? `/v1/agents/${agent}/${surface}`), agent, OWNER, id],
  );
  const token = { agentId: agent, userEmail: OWNER, createdBy: OWNER, loginId: id };
  return (await server.services.tokens.create(token)).token;
}

/** Of a client that logged in, the token for the address it asks. */
function bearerOf(client: Client, path: string): string | undefined {
  const surface = SURFACES.find((each) => path.startsWith(`/${each}`) || path.includes(`/${each}`));
  return client === "a client's login" && surface ? logins[surface] : bearers[client];
}

async function ask(client: Client, method: string, path: string, body?: object, more: object = {}) {
  const bearer = bearerOf(client, path);
  const response = await fetch(at + path, {
    method,
    headers: {
      "content-type": "application/json",
      ...(bearer && { authorization: `Bearer ${bearer}` }),
      ...more,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the parts it names
  const json: any = text.startsWith("{") ? JSON.parse(text) : {};
  return { status: response.status, text, body: json };
}

async function rpc(client: Client, method: string, params: object) {
  const query = client.endsWith(" key") || client === "nobody" ? `?agent=${agent}` : "";
  const call = { jsonrpc: "2.0", id: 1, method, params };
  const answer = await ask(client, "POST", `/mcp${query}`, call, {
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
  });
  const data = /^data: (.*)$/m.exec(answer.text)?.[1] ?? answer.text;
  const said = data.startsWith("{") ? JSON.parse(data) : {};
  return { status: answer.status, result: said.result, error: said.error };
}
