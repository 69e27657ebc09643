/** What GET answers can be sent back: as it was read it changes nothing; with one field edited it changes that field alone. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

type Row = Readonly<Record<string, unknown>>;
interface Trip {
  /** Makes the object; answers with its address and how it is read. */
  readonly make: () => Promise<{ readonly path: string; readonly read: () => Promise<Row> }>;
  readonly method: "PATCH" | "PUT";
  readonly edit: Row;
  /** A field of the server, with a value that it has not. */
  readonly kept: Row;
}

const FAR = "2031-01-01T00:00:00.000Z";
let server: TestServer;
let agent: string;
beforeAll(async () => {
  server = await testServer(await freshPglite());
  agent = (await made("/v1/agents", { name: "A", capabilities: ["test_math"] })).id as string;
});
afterAll(async () => server?.stop());

async function made(path: string, body: Row): Promise<Row> {
  const answer = await server.call("POST", path, body);
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 201 });
  return answer.body;
}
const byGet = (path: string) => ({
  path,
  read: async (): Promise<Row> => (await server.call("GET", path)).body,
});
/** Where only the list can be read. */
const byList = (list: string, path: string, key: string, value: unknown) => ({
  path,
  read: async (): Promise<Row> =>
    (await server.call("GET", list)).body.items.find((row: Row) => row[key] === value),
});
const madeIn =
  (list: string, body: Row, read: "get" | "list" = "get") =>
  async () => {
    const { id } = await made(list, body);
    return read === "get" ? byGet(`${list}/${id}`) : byList(list, `${list}/${id}`, "id", id);
  };

const BUDGET = { name: "Day", measure: "calls", limit: 5, period: "day", capability_id: "test_math" };
const RULE = {
  name: "Ask",
  tools: ["add"],
  then: "ask",
  when: [{ arg: "a", op: "above", value: 5 }],
  ask: { whom: "admin", expiry: { policy: "expire", after_seconds: 60 } },
  words: "Is it right?",
  expires_at: FAR,
};

const CONNECTED = {
  name: "Pier",
  client_id: "mine",
  issuer: "https://pier.example",
  authorization_url: "https://pier.example/authorize",
  token_url: "https://pier.example/token",
  account_url: "https://pier.example/me",
  hosts: ["api.pier.example"],
  base_scopes: ["openid", "profile"],
  scope_separator: ",",
  client_proof: "header",
  resource: "https://api.pier.example",
  pkce: false,
};

const TRIPS: Readonly<Record<string, Trip>> = {
  agent: {
    make: async () => byGet(`/v1/agents/${(await made("/v1/agents", { name: "B" })).id}`),
    method: "PATCH",
    edit: { description: "Other" },
    kept: { owner: "eve@example.com" },
  },
  session: {
    make: madeIn("/v1/sessions", { title: "Mine" }),
    method: "PATCH",
    edit: { title: "Ours" },
    kept: { owner: "eve@example.com" },
  },
  "shares of an agent": {
    make: async () => byGet(`/v1/agents/${agent}/shares`),
    method: "PUT",
    edit: { access: "shared", shares: [{ with: "user:ann@example.com", rights: ["use"] }] },
    kept: {},
  },
  budget: {
    make: madeIn("/v1/budgets", BUDGET),
    method: "PATCH",
    edit: { limit: 9 },
    kept: { created_by: "eve@example.com" },
  },
  rule: {
    make: madeIn("/v1/rules", RULE),
    method: "PATCH",
    edit: { words: "Really?" },
    kept: { created_by: "eve@example.com" },
  },
  dataset: {
    make: madeIn("/v1/datasets", { name: "Cases" }),
    method: "PATCH",
    edit: { description: "Other" },
    kept: { version: 7 },
  },
  memory: {
    make: madeIn("/v1/memories", { text: "The pier is long." }, "list"),
    method: "PATCH",
    edit: { text: "The pier is short." },
    kept: { scope: "organisation" },
  },
  schedule: {
    make: madeIn(
      "/v1/schedules",
      { capability: "noop", cron: "0 5 * * *", timezone: "Asia/Tokyo", payload: { a: 1 } },
      "list",
    ),
    method: "PATCH",
    edit: { cron: "0 6 * * *" },
    kept: { created_at: FAR },
  },
  user: {
    make: async () => {
      await server.call("PUT", "/v1/users/ann@example.com", { scopes: ["Mail.Read"] });
      await made("/v1/grants", { subject: "user:ann@example.com", scope: "Mail.Send", hours: 1 });
      return byGet("/v1/users/ann@example.com");
    },
    method: "PUT",
    edit: { preferences: { channel: "teams" } },
    kept: { email: "eve@example.com" },
  },
  organisation: {
    make: async () => {
      await made("/v1/organisations", { id: "pier", name: "Pier", cost_usd_per_month: 5 });
      return byList("/v1/organisations", "/v1/organisations/pier", "id", "pier");
    },
    method: "PATCH",
    edit: { name: "Harbour" },
    kept: { created_by: "eve@example.com" },
  },
  "provider of connections": {
    make: async () => {
      const path = "/v1/connection-providers/pier";
      expect((await server.call("PUT", path, { ...CONNECTED, client_secret: "s3cret" })).status).toBe(200);
      return byList("/v1/connection-providers", path, "id", "pier");
    },
    method: "PUT",
    edit: { base_scopes: ["profile"] },
    kept: { has_secret: false },
  },
  "provider of connections by key": {
    make: async () => {
      const path = "/v1/connection-providers/quay";
      const body = { kind: "api_key", hosts: ["api.quay.example"], header: "x-key", prefix: "Key " };
      expect((await server.call("PUT", path, body)).status).toBe(200);
      return byList("/v1/connection-providers", path, "id", "quay");
    },
    method: "PUT",
    edit: { header: "x-other" },
    kept: { listed: true },
  },
  "provider of connections from the table": {
    make: async () => {
      const path = "/v1/connection-providers/microsoft";
      const body = { client_id: "mine", tenant: "common", client_secret: "s3cret" };
      expect((await server.call("PUT", path, body)).status).toBe(200);
      return byList("/v1/connection-providers", path, "id", "microsoft");
    },
    method: "PUT",
    edit: { client_id: "other" },
    kept: { redirect_uri: "https://example.com/" },
  },
  "provider of models": {
    make: async () => {
      const path = "/v1/providers/pier";
      const body = { base_url: "http://127.0.0.1:1/v1", api_key: "s3cret", check: false };
      expect((await server.call("PUT", path, body)).status).toBe(200);
      return byList("/v1/providers", path, "provider", "pier");
    },
    method: "PUT",
    edit: { base_url: "http://127.0.0.1:2/v1", check: false },
    kept: { label: "Other" },
  },
  member: {
    make: async () => {
      const path = "/v1/organisations/pier/members/bob@example.com";
      expect((await server.call("PUT", path, { role: "run" })).status).toBe(200);
      return byList("/v1/organisations/pier/members", path, "user", "bob@example.com");
    },
    method: "PUT",
    edit: { role: "author" },
    kept: { added_by: "eve@example.com" },
  },
};

const audited = async (): Promise<number> => (await server.call("GET", "/v1/audit?limit=1")).body.items[0].id;

describe.each(Object.entries(TRIPS))("%s", (_, { make, method, edit, kept }) => {
  test("can be sent back: as read it changes nothing, edited it changes that field alone", async () => {
    const { path, read } = await make();
    const first = await read();
    const before = await audited();
    const same = await server.call(method, path, first);
    expect(same, JSON.stringify(same.body)).toMatchObject({ status: 200 });
    expect(await read()).toEqual(first);
    if (method === "PATCH") expect(await audited()).toBe(before);

    const refused = await server.call(method, path, { ...first, ...edit, ...kept });
    const [field] = Object.keys(kept);
    if (field)
      expect(refused).toMatchObject({
        status: 422,
        body: { message: expect.stringContaining(`${field}: set by the server`) },
      });
    if (field) expect(await read()).toEqual(first);

    const edited = await server.call(method, path, { ...first, ...edit });
    const { check: _, ...shown } = edit;
    expect(edited, JSON.stringify(edited.body)).toMatchObject({ status: 200, body: shown });
    const { updated_at, sentence, next_run_at, edited_by, version, release, spending, added_at, ...rest } =
      first;
    expect(await read()).toMatchObject({ ...rest, ...shown });
    if (method === "PATCH" && updated_at !== undefined)
      expect(await server.call(method, path, { ...first, ...edit })).toMatchObject({
        status: 409,
        body: { code: "conflict" },
      });
  });
});

describe("what was read makes an equal one when it is posted", () => {
  test.each([
    ["/v1/budgets", BUDGET],
    ["/v1/rules", RULE],
    ["/v1/text-checks", { name: "No", find: { words: ["no"] }, then: "mask", expires_at: FAR }],
  ])("%s", async (path, body) => {
    const { id, created_at, updated_at, ...first } = await made(path, body);
    const second = await made(path, { id, created_at, updated_at, ...first });
    expect(second).toMatchObject(first);
    expect(second.id).not.toBe(id);
  });
});

describe("a patch merges", () => {
  test("a rule's limit and question; null removes an entry, and an expiry is one value", async () => {
    const { id } = await made("/v1/rules", RULE);
    const patch = async (body: Row) => (await server.call("PATCH", `/v1/rules/${id}`, body)).body;
    expect(await patch({ ask: { whom: null } })).toMatchObject({ ask: { expiry: RULE.ask.expiry } });
    expect((await patch({ ask: { expiry: { policy: "wait" } } })).ask).toEqual({
      expiry: { policy: "wait" },
    });
    expect((await patch({ ask: { whom: "admin" } })).ask).toEqual({
      whom: "admin",
      expiry: { policy: "wait" },
    });
    const limited = await made("/v1/rules", {
      name: "Few",
      tools: ["add"],
      then: "limit",
      limit: { calls: 3, per: "day", over: "ask" },
    });
    const answer = await server.call("PATCH", `/v1/rules/${limited.id}`, { limit: { calls: 4 } });
    expect(answer.body.limit).toEqual({ calls: 4, per: "day", over: "ask" });
  });

  test("a schedule's payload", async () => {
    const { id } = await made("/v1/schedules", {
      capability: "noop",
      cron: "0 5 * * *",
      payload: { a: 1, b: { c: 2, d: 3 } },
    });
    const answer = await server.call("PATCH", `/v1/schedules/${id}`, { payload: { a: null, b: { c: 4 } } });
    expect(answer.body).toMatchObject({ payload: { b: { c: 4, d: 3 } }, cron: "0 5 * * *" });
    expect(answer.body.payload).not.toHaveProperty("a");
  });
});

test("a user sent back keeps a grant for a time as a grant; other effective scopes are refused", async () => {
  const path = "/v1/users/cleo@example.com";
  await server.call("PUT", path, { scopes: ["Mail.Read"] });
  await made("/v1/grants", { subject: "user:cleo@example.com", scope: "Mail.Send", hours: 1 });
  const { body: read } = await server.call("GET", path);
  expect(read).toMatchObject({ own_scopes: ["Mail.Read"], scopes: ["Mail.Read", "Mail.Send"] });
  expect((await server.call("PUT", path, read)).body.own_scopes).toEqual(["Mail.Read"]);
  expect(await server.call("PUT", path, { ...read, scopes: ["Everything"] })).toMatchObject({ status: 422 });
  expect((await server.call("GET", path)).body).toEqual(read);
});

test("a change of an organisation that is refused changes nothing of it", async () => {
  await made("/v1/organisations", { id: "quay", name: "Quay" });
  const read = async () =>
    (await server.call("GET", "/v1/organisations")).body.items.find((row: Row) => row.id === "quay");
  const before = await read();
  const path = "/v1/organisations/quay";
  const refused = await server.call("PATCH", path, { name: "X", disabled: true, cost_usd_per_month: 5 });
  expect(refused).toMatchObject({ status: 409, body: { code: "organisation_disabled" } });
  expect(await read()).toEqual(before);
});
