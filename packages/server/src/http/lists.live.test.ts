/** Every list of the API, as the OpenAPI document names them: in pages, with one set of promises for all, or named as whole. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { runInput } from "../../../../tools/ag-ui-wire.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses?: Readonly<Record<string, { content?: Record<string, { schema?: Schema }> }>>;
}

/** How a list is read here: a path with ids filled in, and by what its rows are told apart. */
interface PagedList {
  readonly path: string;
  readonly key: "id" | "position" | "name" | "email" | "number" | "tool";
  /** Whether the newest row stands first. */
  readonly newestFirst: boolean;
  /** There is none in this test. */
  readonly isEmpty?: boolean;
}

interface Ids {
  readonly session: string;
  readonly agent: string;
  readonly connection: string;
  readonly dataset: string;
}

const LISTS: Readonly<Record<string, (ids: Ids) => PagedList>> = {
  "/v1/agents": () => ({ path: "/v1/agents", key: "id", newestFirst: true }),
  "/v1/agents/{id}/revisions": ({ agent }) => ({
    path: `/v1/agents/${agent}/revisions`,
    key: "number",
    newestFirst: true,
  }),
  "/v1/agents/{id}/tokens": ({ agent }) => ({
    path: `/v1/agents/${agent}/tokens`,
    key: "id",
    newestFirst: true,
  }),
  "/v1/approvals": () => ({ path: "/v1/approvals", key: "id", newestFirst: true }),
  "/v1/audit": () => ({ path: "/v1/audit", key: "id", newestFirst: true }),
  "/v1/budgets": () => ({ path: "/v1/budgets", key: "id", newestFirst: true }),
  "/v1/connections": () => ({ path: "/v1/connections", key: "id", newestFirst: true }),
  "/v1/connections/{id}/uses": ({ connection }) => ({
    path: `/v1/connections/${connection}/uses`,
    key: "tool",
    newestFirst: true,
  }),
  "/v1/datasets": () => ({ path: "/v1/datasets", key: "id", newestFirst: true }),
  "/v1/datasets/{id}/items": ({ dataset }) => ({
    path: `/v1/datasets/${dataset}/items`,
    key: "id",
    newestFirst: false,
  }),
  "/v1/datasets/{id}/versions": ({ dataset }) => ({
    path: `/v1/datasets/${dataset}/versions`,
    key: "number",
    newestFirst: true,
  }),
  "/v1/capabilities": () => ({ path: "/v1/capabilities?limit=50", key: "id", newestFirst: false }),
  "/v1/experiments": () => ({ path: "/v1/experiments", key: "id", newestFirst: true, isEmpty: true }),
  "/v1/grants": () => ({ path: "/v1/grants", key: "id", newestFirst: true }),
  "/v1/keys": () => ({ path: "/v1/keys", key: "id", newestFirst: true }),
  "/v1/logins": () => ({ path: "/v1/logins", key: "id", newestFirst: true }),
  "/v1/memories": () => ({ path: "/v1/memories", key: "id", newestFirst: true }),
  "/v1/monitors": () => ({ path: "/v1/monitors", key: "id", newestFirst: true, isEmpty: true }),
  "/v1/packages": () => ({ path: "/v1/packages", key: "name", newestFirst: true }),
  "/v1/replays": () => ({ path: "/v1/replays", key: "id", newestFirst: true, isEmpty: true }),
  "/v1/rules": () => ({ path: "/v1/rules", key: "id", newestFirst: true }),
  "/v1/schedules": () => ({ path: "/v1/schedules", key: "id", newestFirst: true }),
  "/v1/users": () => ({ path: "/v1/users", key: "email", newestFirst: true }),
  "/v1/runs": () => ({ path: "/v1/runs", key: "id", newestFirst: true }),
  "/v1/sessions": () => ({ path: "/v1/sessions", key: "id", newestFirst: true }),
  "/v1/text-checks": () => ({ path: "/v1/text-checks", key: "id", newestFirst: true }),
  "/v1/tokens": () => ({ path: "/v1/tokens", key: "id", newestFirst: true }),
  "/v1/triggers": () => ({ path: "/v1/triggers", key: "id", newestFirst: false, isEmpty: true }),
  "/v1/sessions/search": () => ({ path: "/v1/sessions/search?q=talk", key: "id", newestFirst: true }),
  "/v1/sessions/{id}/runs": ({ session }) => ({
    path: `/v1/sessions/${session}/runs`,
    key: "id",
    newestFirst: false,
  }),
  "/v1/sessions/{id}/messages": ({ session }) => ({
    path: `/v1/sessions/${session}/messages`,
    key: "position",
    newestFirst: false,
  }),
};

/** Read whole: what the operator set up, what is installed, what one request asked for, or a tree. */
const WHOLE = [
  "/api/execution-telemetry",
  "/openai/v1/models",
  "/v1/agents/{id}/labels",
  "/v1/capabilities/{id}/versions", // at most fifty are kept, and those that an agent names
  "/v1/coding-agents",
  "/v1/coding-agents/{name}/plugins",
  "/v1/coding-agents/{name}/sessions",
  "/v1/coding-agents/{name}/sessions/{id}",
  "/v1/connection-providers",
  "/v1/models",
  "/v1/models/choices",
  "/v1/organisations",
  "/v1/providers",
  "/v1/roles",
  "/v1/scim-tokens",
  "/v1/scorers",
  "/v1/secrets",
  "/v1/services",
  "/v1/sessions/{id}/branches",
  "/v1/sessions/{id}/events", // pages by `after`, a sequence number
  "/v1/sessions/{id}/files",
  "/v1/sessions/{id}/files/{path}",
  "/v1/sessions/{id}/links",
  "/v1/sessions/{id}/summaries",
  "/v1/telemetry/series",
  "/v1/usage/tools",
];
/** What holds the rows of a list. */
const ROWS = ["items", "data", "entries", "records"];

const LOGIN = {
  kind: "browser",
  issuer: "https://id.example",
  subject: "one",
  sid: undefined,
  device: "A browser",
} as const;

/** Not ordered by time: a client chose them. */
const CHOSEN = [
  "ffffffff-0000-4000-8000-000000000001",
  "00000000-0000-4000-8000-000000000002",
  "88888888-0000-4000-8000-000000000003",
];

describe.each(STORES)("lists on $name", ({ fresh }) => {
  let server: TestServer;
  let session: string;
  let agentId: string;
  let connection: string;
  let dataset: string;
  beforeAll(async () => {
    server = await testServer(await fresh());
    const asking = { capabilities: ["test_math"], tool_policies: { add: "approve" } };
    for (const name of ["One", "Two", "Three"]) {
      const made = await server.call("POST", "/v1/agents", { name, ...asking });
      agentId = made.body.id;
      const call = { input: { a: 1, b: 2 }, agent_id: agentId };
      await server.call("POST", "/v1/capabilities/test_math/tools/add", call);
    }
    for (const name of ["one", "two", "three"]) {
      await server.call("POST", "/v1/keys", { name, owner: `${name}@example.com` });
      await server.call("PUT", `/v1/users/${name}@example.com`, { scopes: [] });
      await server.call("POST", "/v1/grants", { subject: `user:${name}@example.com`, scope: "Mail.Read" });
      await server.call("POST", "/v1/schedules", { capability: "noop", cron: "0 5 * * *" });
      expect((await server.call("POST", "/v1/memories", { text: `The pier is ${name}.` })).status).toBe(201);
      const budget = { name, measure: "calls", limit: 5, period: "day" };
      expect((await server.call("POST", "/v1/budgets", budget)).status).toBe(201);
      const check = { name, find: { words: [name] }, then: "mask" };
      expect((await server.call("POST", "/v1/text-checks", check)).status).toBe(201);
      expect((await server.call("POST", `/v1/agents/${agentId}/tokens`, { name })).status).toBe(201);
      await server.call("PATCH", `/v1/agents/${agentId}`, { description: name });
      await server.call("PUT", `/v1/connection-providers/${name}`, { kind: "api_key", hosts: ["a.example"] });
      const connected = await server.call("POST", "/v1/connections", { provider: name, key: "secret" });
      connection = connected.body.connection.id;
      await server.services.logins.create({ ...LOGIN, userEmail: `${name}@example.com` });
      const rule = { name: `No ${name}`, then: "deny", tools: ["subtract"] };
      expect((await server.call("POST", "/v1/rules", rule)).status).toBe(201);
      const text = JSON.stringify({
        id: `pier_${name}`,
        name,
        description: "A pier.",
        version: "1.0.0",
        prompt: "x",
      });
      const bytes = Buffer.from(text).toString("base64");
      const source = { source: `${name}.json`, kind: "document", bytes, yes: true };
      expect((await server.call("POST", "/v1/packages", source)).status).toBe(201);
    }
    for (const name of ["one", "two", "three"])
      dataset = (await server.call("POST", "/v1/datasets", { name })).body.id;
    for (const id of ["c", "a", "b"])
      await server.call("POST", `/v1/datasets/${dataset}/items`, { items: [{ id, input: "Hello" }] });
    for (const tool of ["read", "write", "send"]) {
      const use = { agentId, capabilityId: "mail", tool, runId: null, sessionId: null };
      await server.services.connections.recordUse(connection, use);
    }
    for (const [at, id] of CHOSEN.entries())
      await server.call("POST", "/v1/sessions", { id, agent_id: agentId, title: `Talk ${at}` });
    [session = ""] = CHOSEN;
    for (const content of ["hello", "what can you do?", "thanks"])
      await server.call("POST", `/v1/sessions/${session}/messages`, { content });
    await vi.waitFor(
      async () => {
        const { body } = await server.call("GET", `/v1/runs?session_id=${session}&status=done`);
        expect(body.items).toHaveLength(3);
      },
      { timeout: 20_000 },
    );
  });
  afterAll(() => server.stop());

  const listOf = (route: string): PagedList => {
    const list = LISTS[route]?.({ session, agent: agentId, connection, dataset });
    if (!list) throw new Error(`${route} is not in the table`);
    return list;
  };
  const withQuery = (path: string, query: string) => `${path}${path.includes("?") ? "&" : "?"}${query}`;

  test("every list comes in pages, but those that are small by nature", async () => {
    const { body } = await server.call("GET", "/openapi.json");
    const paths = Object.entries<Record<string, Operation>>(body.paths);
    const whole = ({ $ref, ...schema }: Schema): Schema =>
      $ref ? whole(body.components.schemas[$ref.split("/").at(-1) ?? ""]) : schema;
    const isList = ({ responses }: Operation = {}) => {
      const { properties = {} } = whole(responses?.["200"]?.content?.["application/json"]?.schema ?? {});
      return ROWS.some((name) => properties[name] && whole(properties[name]).type === "array");
    };
    const isPaged = ({ parameters }: Operation = {}) => parameters?.some(({ name }) => name === "cursor");
    const paged = paths.filter(([, { get }]) => isPaged(get));
    const others = [
      "/v1/experiments/{id}/cells",
      "/v1/experiments/{id}/reviews",
      "/v1/monitors/{id}/alerts",
      "/v1/monitors/{id}/scores",
      "/v1/organisations/{id}/members", // of an organisation after the first, which this server has not
      "/v1/replays/{id}", // the runs of one replay, in the order of their numbers
    ];
    expect(paged.map(([path]) => path).sort()).toEqual([...Object.keys(LISTS), ...others].sort());
    const unpaged = paths.filter(([, { get }]) => isList(get) && !isPaged(get));
    expect(unpaged.map(([path]) => path).sort()).toEqual(WHOLE);
  });

  test.each(Object.keys(LISTS))(
    "%s refuses a limit of nothing, of too much, and of no number",
    async (route) => {
      const path = listOf(route).path.replace(/\?limit=50$/, "");
      for (const limit of ["0", "-1", "1001", "1.5", "ten", ""]) {
        const refused = await server.call("GET", withQuery(path, `limit=${limit}`));
        expect(refused, `limit=${limit}`).toMatchObject({ status: 422, body: { code: "input_invalid" } });
      }
    },
  );

  test.each(Object.keys(LISTS))("%s refuses a cursor that is none of its own", async (route) => {
    const { path } = listOf(route);
    for (const cursor of ["nonsense", "-", "1e9", "%00", "bnVsbA", "-5"]) {
      const refused = await server.call("GET", withQuery(path, `cursor=${cursor}`));
      expect(refused, cursor).toMatchObject({ status: 400, body: { code: "cursor_invalid" } });
    }
  });

  test.each(Object.keys(LISTS))("%s refuses a filter that it does not know", async (route) => {
    const refused = await server.call("GET", withQuery(listOf(route).path, "colour=blue"));
    expect(refused).toMatchObject({ status: 422, body: { code: "input_invalid" } });
  });

  test.each(Object.keys(LISTS))("%s in small pages is the same as in one", async (route) => {
    const { path, key, newestFirst, isEmpty = false } = listOf(route);
    const plain = path.replace(/\?limit=50$/, "");
    const ask = plain.includes("?") ? "&" : "?";
    const rows: Record<string, string>[] = [];
    const limit = route === "/v1/capabilities" ? 50 : 2;
    for (let cursor = "", more = true; more; ) {
      const { body } = await server.call("GET", `${plain}${ask}limit=${limit}${cursor}`);
      rows.push(...body.items);
      more = body.next_cursor !== undefined;
      cursor = `&cursor=${body.next_cursor}`;
    }
    const { body: whole } = await server.call("GET", `${plain}${ask}limit=200`);
    const keys = rows.map((row) => row[key]);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.slice(0, 200)).toEqual(whole.items.map((row: Record<string, string>) => row[key]));
    expect(keys.length > 2).toBe(!isEmpty);
    const times = rows.map(
      ({ created_at, started_at, installed_at, updated_at, used_at, at }) =>
        created_at ?? started_at ?? installed_at ?? used_at ?? at ?? updated_at ?? "",
    );
    if (newestFirst) expect(times).toEqual([...times].sort().reverse());
  });

  test.each([
    ["/v1/agents?q=thr", ["Three"], "name"],
    ["/v1/agents?status=archived", [], "name"],
    ["/v1/approvals?q=ADD&limit=1", ["add"], "tool"],
    ["/v1/approvals?q=subtract", [], "tool"],
    ["/v1/approvals?status=denied", [], "tool"],
    ["/v1/sessions?q=talk%201", ["Talk 1"], "title"],
    ["/v1/sessions?status=failed", [], "title"],
    ["/v1/capabilities?q=test_math", ["test_math"], "id"],
    ["/v1/audit?q=no.such.action", [], "action"],
    ["/v1/runs?status=failed", [], "id"],
    ["/v1/keys?q=TWO", ["two"], "name"],
    ["/v1/keys?owner=one@example.com", ["one"], "name"],
    ["/v1/keys?revoked=true", [], "name"],
    ["/v1/users?q=three@", ["three@example.com"], "email"],
    ["/v1/grants?q=two@", ["user:two@example.com"], "subject"],
    ["/v1/packages?q=pier_two", ["pier_two"], "name"],
    ["/v1/packages?kind=npm", [], "name"],
    ["/v1/schedules?enabled=false", [], "id"],
    ["/v1/schedules?capability=current_time", [], "id"],
    ["/v1/rules?then=allow", [], "id"],
    ["/v1/rules?q=no%20two", ["No two"], "name"],
  ])("%s finds %j", async (path, expected, field) => {
    const { body } = await server.call("GET", path);
    expect(body.items.map((row: Record<string, string>) => row[field])).toEqual(expected);
  });

  test("approvals and runs are found by their agent", async () => {
    const approvals = await server.call("GET", `/v1/approvals?agent_id=${agentId}`);
    expect(approvals.body.items).toHaveLength(1);
    const runs = await server.call("GET", `/v1/runs?agent_id=${agentId}&session_id=${session}`);
    expect(runs.body.items).toHaveLength(3);
  });

  test("a client's own thread and run ids find the session and the run, however long they are", async () => {
    for (const [threadId, runId] of [
      ["my-thread", "my-run"],
      ["t".repeat(5_000), "r".repeat(5_000)],
    ] as const) {
      const { status } = await server.call(
        "POST",
        `/v1/agents/${agentId}/ag-ui`,
        runInput({ threadId, runId }),
      );
      expect(status).toBe(200);
      if (threadId.length > 500) continue;
      const sessions = await server.call("GET", `/v1/sessions?thread_id=${threadId}`);
      expect(sessions.body.items).toHaveLength(1);
      const runs = await server.call("GET", `/v1/runs?client_run_id=${runId}`);
      expect(runs.body.items).toMatchObject([
        { client_run_id: runId, session_id: sessions.body.items[0].id },
      ]);
    }
    const byId = await server.call("GET", `/v1/sessions?thread_id=${session}`);
    expect(byId.body.items).toMatchObject([{ id: session }]);
  });
});

describe.each(STORES)("a change of a session on $name", ({ fresh }) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer(await fresh());
  });
  afterAll(() => server.stop());

  const made = async (more: object = {}) => (await server.call("POST", "/v1/sessions", more)).body;
  const patch = (id: string, body: object) => server.call("PATCH", `/v1/sessions/${id}`, body);

  test("merges metadata as RFC 7396 does", async () => {
    const { id } = await made({ metadata: { team: { name: "harbour", size: 3 }, colour: "blue" } });
    const changed = await patch(id, { metadata: { team: { size: 4 }, colour: null, new: true } });
    expect(changed.body.metadata).toEqual({ team: { name: "harbour", size: 4 }, new: true });
  });

  test("what was read changes nothing when it is sent back", async () => {
    const { id } = await made({ title: "Mine", metadata: { a: 1 } });
    const { body: read } = await server.call("GET", `/v1/sessions/${id}`);
    expect(await patch(id, read)).toMatchObject({ status: 200, body: read });
    expect(await patch(id, { ...read, title: "Ours" })).toMatchObject({ body: { title: "Ours" } });
    expect(await patch(id, { ...read, title: "Theirs" })).toMatchObject({
      status: 409,
      body: { code: "conflict" },
    });
  });

  test.each([
    [{ owner: "eve@example.com" }, "owner: set by the server"],
    [{ state: { a: 1 } }, "state: set by the server"],
    [{ metadata: { scopeCeiling: null } }, undefined],
    [{ metadata: { scopeCeiling: ["*"] } }, "metadata.scopeCeiling: set by the server"],
    [{ metadata: { thread_id: "other" } }, "metadata.thread_id: set by the server"],
  ])("%j does not change the fields that the server sets", async (body, fault) => {
    const { id, ...before } = await made();
    const answer = await patch(id, body);
    if (fault === undefined) expect(answer.status).toBe(200);
    else expect(answer).toMatchObject({ status: 422, body: { message: expect.stringContaining(fault) } });
    expect((await server.call("GET", `/v1/sessions/${id}`)).body).toMatchObject(before);
    if ("metadata" in body && fault !== undefined)
      expect((await server.call("POST", "/v1/sessions", body)).status).toBe(422);
  });

  test("an agent that is not there is refused, and null takes the agent and the title away", async () => {
    const agent = (await server.call("POST", "/v1/agents", { name: "Helper" })).body.id;
    const { id } = await made({ agent_id: agent, title: "Named" });
    expect(await patch(id, { agent_id: CHOSEN[0] })).toMatchObject({
      status: 422,
      body: { code: "not_found" },
    });
    const cleared = await patch(id, { agent_id: null, title: null });
    expect(cleared.body).toMatchObject({ agent_id: null, title: "" });
  });
});
