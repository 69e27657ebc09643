/** Three processes and two organisations on one Postgres, also behind a pooler in transaction mode: they act as one server. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  browse,
  CookieJar,
  comeBack,
  type TestProvider,
  testProvider,
} from "../../../../tools/openid-provider.ts";
import { hasPgbouncer, type Pooler, startPgbouncer } from "../../../../tools/pgbouncer.ts";
import {
  type LlmRequest,
  llmEnvironment,
  type ScriptedLlm,
  scriptedLlm,
} from "../../../../tools/scripted-llm.ts";
import { type ServerProcess, serverProcess } from "../../../../tools/server-process.ts";
import { emptyPostgres, type FreshStore } from "../../../../tools/stores-under-test.ts";

type Headers = Record<string, string>;

const A_SECOND = { timeout: 3000, interval: 50 }; // and what a busy machine adds
const wordIn = ({ messages }: LlmRequest) => JSON.stringify(messages.at(-1)?.content ?? "");
const PLACES = [
  { place: "on one Postgres", isPooled: false },
  { place: "behind a pooler in transaction mode", isPooled: true },
].filter(({ isPooled }) => !isPooled || hasPgbouncer());

describe.each(PLACES)(
  "three processes with two organisations $place",
  { timeout: 90_000 },
  ({ isPooled }) => {
    let op: TestProvider;
    let llm: ScriptedLlm;
    let store: FreshStore;
    let pooler: Pooler | undefined;
    let a: ServerProcess;
    let b: ServerProcess;
    let c: ServerProcess;
    let owner: Headers;
    const keys: Record<string, Headers> = {};
    const agents: Record<string, string> = {};

    beforeAll(async () => {
      op = await testProvider([]);
      llm = await scriptedLlm((request) => ({ text: ["heard ", wordIn(request)] }));
      store = await emptyPostgres();
      const { url = "" } = store;
      if (isPooled) pooler = await startPgbouncer(url);
      const environment = {
        ...llmEnvironment(llm),
        CAPSTAN_OIDC_ISSUER: op.issuer,
        CAPSTAN_OIDC_CLIENT_ID: op.clientId,
        CAPSTAN_OIDC_CLIENT_SECRET: op.clientSecret,
        ...(pooler && { DATABASE_DIRECT_URL: url }),
      };
      const start = () => serverProcess({ ...store, url: pooler?.url ?? url }, environment);
      [a, b, c] = await Promise.all([start(), start(), start()]);
      await op.allow(a.url);
      owner = await firstAdmin();
      keys.first = owner;
    }, 120_000);
    afterAll(async () => {
      await Promise.all([a, b, c].map((server) => server?.end("SIGKILL")));
      await pooler?.close();
      await store?.drop();
      await llm?.close();
      await op?.close();
    });

    /** Each process has written a token of its own into the data folder; the last one's counts. */
    async function firstAdmin(): Promise<Headers> {
      const token = readFileSync(join(store.dataDir, "owner-token"), "utf8").trim();
      const asked = { name: "first", owner: "op@example.com", rights: ["admin"] };
      const send = { authorization: `Bearer ${token}` };
      const answers = await Promise.all([a, b, c].map((each) => each.call("POST", "/v1/keys", asked, send)));
      const key = answers.find(({ status }) => status === 201)?.body.key;
      return { authorization: `Bearer ${key}` };
    }

    const names = async (server: ServerProcess, who: Headers | undefined) =>
      (await server.call("GET", "/v1/agents", undefined, who)).body.items.map(
        ({ name }: { name: string }) => name,
      );

    test("one that is created at a process is usable at the others within a second, and so is the next one", async () => {
      for (const id of ["acme", "beta"]) {
        const made = await a.call("POST", "/v1/organisations", { id, name: id }, owner);
        expect(made.status, JSON.stringify(made.body)).toBe(201);
        keys[id] = { authorization: `Bearer ${made.body.key}` };
        const status = async (server: ServerProcess) =>
          (await server.call("GET", "/v1/agents", undefined, keys[id])).status;
        await vi.waitFor(
          async () => expect([await status(b), await status(c)]).toEqual([200, 200]),
          A_SECOND,
        );
      }
    });

    test("requests for all of them at all processes at once see their own alone", async () => {
      const by = { first: c, acme: a, beta: b };
      for (const [id, server] of Object.entries(by)) {
        const made = await server.call("POST", "/v1/agents", { name: `of ${id}` }, keys[id]);
        expect(made.status, JSON.stringify(made.body)).toBe(201);
        agents[id] = made.body.id;
      }
      const asked = Array.from({ length: 90 }, async (_, at) => {
        const id = ["first", "acme", "beta"][at % 3] ?? "";
        const server = [a, b, c][Math.floor(at / 3) % 3] as ServerProcess;
        expect(await names(server, keys[id])).toEqual([`of ${id}`]);
        const other = agents[id === "acme" ? "beta" : "acme"];
        expect((await server.call("GET", `/v1/agents/${other}`, undefined, keys[id])).status).toBe(404);
      });
      await Promise.all(asked);
    });

    test("runs of all of them survive kill -9 of their process, once each, and nothing crosses", async () => {
      let open = () => {};
      const until = new Promise<void>((resolve) => {
        open = resolve;
      });
      const begun = new Set<string>();
      llm.script = (request) => {
        begun.add(wordIn(request));
        return { text: ["heard ", wordIn(request)], until };
      };
      const ids = ["first", "acme", "beta"];
      const sessions: Record<string, string> = {};
      for (const id of ids) {
        const made = await c.call("POST", "/v1/sessions", { agent_id: agents[id] }, keys[id]);
        sessions[id] = made.body.id;
        const path = `/v1/sessions/${sessions[id]}/messages`;
        expect((await c.call("POST", path, { content: `secret-of-${id}` }, keys[id])).status).toBe(202);
      }
      await vi.waitFor(() => expect(begun.size).toBe(3), { timeout: 20_000 });
      await c.end("SIGKILL");
      open();
      for (const [at, id] of ids.entries()) {
        const server = at % 2 === 0 ? a : b;
        const path = `/v1/sessions/${sessions[id]}/messages`;
        const said = async () => (await server.call("GET", path, undefined, keys[id])).body.items;
        await vi.waitFor(async () => expect(await said()).toHaveLength(2), {
          timeout: 60_000,
          interval: 250,
        });
        const text = JSON.stringify(await said());
        expect(text).toContain("heard");
        for (const other of ids) expect(text.includes(`secret-of-${other}`)).toBe(other === id);
        for (const other of ids.filter((each) => each !== id))
          expect((await server.call("GET", path, undefined, keys[other])).status).toBe(404);
      }
    });

    test("a user deactivated by a directory at one process loses all access at another within a second, in that organisation", async () => {
      for (const [id, where] of [
        ["acme", "acme"],
        ["first", "default"],
      ] as const) {
        const name = `ann-${id}`;
        const email = `${name}@example.com`;
        op.people.set(name, { sub: name, email, email_verified: true });
        const token = await a.call("POST", "/v1/scim-tokens", { name: "d" }, keys[id]);
        const directory = {
          authorization: `Bearer ${token.body.token}`,
          "content-type": "application/scim+json",
        };
        const user = { userName: email, externalId: name, active: true };
        const pushed = await a.call("POST", "/scim/v2/Users", user, directory);
        expect(pushed.status, JSON.stringify(pushed.body)).toBe(201);
        for (const role of [keys[id], keys.beta])
          await a.call("POST", "/v1/roles", { claim: "sub", value: name, role: "author" }, role);
        const jar = new CookieJar();
        await browse(jar, await comeBack(jar, new URL("/login", a.url), name));
        const login = jar.of(a.url).get("capstan-login");
        const inside = (organisation: string) => ({
          cookie: `capstan-login=${login}; capstan-organisation=${organisation}`,
          origin: b.url,
        });
        const key = await a.call(
          "POST",
          "/v1/keys",
          { name: "ann", owner: email, rights: ["author"] },
          keys[id],
        );
        const bearer = { authorization: `Bearer ${key.body.key}` };
        const statuses = async () => [
          (await b.call("GET", "/v1/agents", undefined, inside(where))).status,
          (await b.call("GET", "/v1/agents", undefined, bearer)).status,
        ];
        await vi.waitFor(async () => expect(await statuses()).toEqual([200, 200]), A_SECOND);
        const off = {
          schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
          Operations: [{ op: "replace", path: "active", value: false }],
        };
        expect((await a.call("PATCH", `/scim/v2/Users/${pushed.body.id}`, off, directory)).status).toBe(200);
        const isGone = (status: number) => status === 401 || status === 403;
        await vi.waitFor(
          async () => expect([id, ...(await statuses()).filter((each) => !isGone(each))]).toEqual([id]),
          A_SECOND,
        );
        const elsewhere = (await b.call("GET", "/v1/agents", undefined, inside("beta"))).status;
        expect(elsewhere).toBe(id === "acme" ? 200 : 401); // the first one's directory counts in all
      }
    });

    test("one that is disabled at a process answers nobody at another within a second, and comes back as it was", async () => {
      const status = async () => (await b.call("GET", "/v1/agents", undefined, keys.beta)).status;
      expect(await status()).toBe(200);
      const change = (disabled: boolean) => a.call("PATCH", "/v1/organisations/beta", { disabled }, owner);
      expect((await change(true)).status).toBe(200);
      await vi.waitFor(async () => expect(await status()).toBe(401), A_SECOND);
      expect((await change(false)).status).toBe(200);
      await vi.waitFor(async () => expect(await names(b, keys.beta)).toEqual(["of beta"]), { timeout: 3000 });
      expect(a.log() + b.log()).not.toMatch(/prepared statement|permission denied/);
    });
  },
);
