/**
 * Ids inside bodies and queries, sent by another person and by another organisation's admin, on both stores. Whose thing it is
 * must not show: the answer is the one for an id that nobody has.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type Answer, type TestServer, testServer } from "../../../../tools/test-server.ts";
import { FOREIGN_IDS, type ForeignIdRow, type Things } from "../fixtures/foreign-ids.ts";
import { idFieldsOf } from "../fixtures/id-fields.ts";
import { OTHER_ID_FIELDS } from "../fixtures/other-id-fields.ts";

type Who = Record<string, string>;

const WORD = "heron-41c7";
const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}/g;
const TIME = /\d{4}-\d\d-\d\dT[^"]+/g;
const LEDGER = { name: "Ledger", kind: "api_key", hosts: ["ledger.example.com"] };

describe.each(STORES)("ids inside queries and bodies, on $name", ({ fresh }) => {
  let server: TestServer;
  let llm: ScriptedLlm;
  const people: Record<string, { who: Who; things: Things }> = {};

  beforeAll(async () => {
    llm = await scriptedLlm(() => ({ text: [`Aye, ${WORD}.`] }));
    server = await testServer(await fresh(), llmEnvironment(llm));
    await server.call("PUT", "/v1/connection-providers/ledger", LEDGER);
    for (const [name, headers] of [
      ["ann", await keyOf("ann@example.com")],
      ["bob", await keyOf("bob@example.com")],
      ["acme", await organisation("acme")],
      ["beta", await organisation("beta")],
    ] as const)
      people[name] = { who: headers, things: await thingsOf(headers) };
  }, 120_000);
  afterAll(async () => {
    await server?.stop();
    await llm?.close();
  });

  async function keyOf(owner: string): Promise<Who> {
    const made = await server.services.keys.create({
      name: owner,
      owner,
      rights: ["author"],
      perMinute: 1e6,
    });
    return { authorization: `Bearer ${made.key}` };
  }
  async function organisation(id: string): Promise<Who> {
    const made = await server.call("POST", "/v1/organisations", { id, name: id });
    const who = { authorization: `Bearer ${made.body.key}` };
    await server.call("PUT", "/v1/connection-providers/ledger", LEDGER, who);
    return who;
  }

  async function thingsOf(who: Who): Promise<Things> {
    const make = async (path: string, body: unknown, method = "POST"): Promise<Answer["body"]> => {
      const made = await server.call(method, path, body, who);
      expect(made.status, `${path}: ${JSON.stringify(made.body)}`).toBeLessThan(300);
      return made.body;
    };
    const agent = (await make("/v1/agents", { name: "Clerk", capabilities: ["test_math", "memory"] })).id;
    await make(`/v1/agents/${agent}/shares`, { access: "private", shares: [] }, "PUT");
    const session = (await make("/v1/sessions", { agent_id: agent })).id;
    const more = async () => (await make("/v1/sessions", { agent_id: agent })).id;
    const sessions = { spareSession: await more(), chatSession: await more(), threadSession: await more() };
    const run = (await make(`/v1/sessions/${session}/messages`, { content: WORD })).run_id;
    const status = async () => (await server.call("GET", `/v1/runs/${run}`, undefined, who)).body.status;
    await vi.waitFor(async () => expect(await status()).toBe("done"), { timeout: 20_000 });
    const messages = (await server.call("GET", `/v1/sessions/${session}/messages`, undefined, who)).body
      .items;
    const dataset = (await make("/v1/datasets", { name: WORD })).id;
    await make(`/v1/datasets/${dataset}/import`, { runs: [run] });
    const items = (await server.call("GET", `/v1/datasets/${dataset}/items`, undefined, who)).body.items;
    const experiment = (
      await make("/v1/experiments", {
        dataset_id: dataset,
        agent_id: agent,
        scorers: [{ type: "contains", all: ["a"] }],
      })
    ).id;
    const schedule = (await make("/v1/schedules", { capability: "test_math", cron: "0 0 1 1 *" })).id;
    const response = (await make("/openai/v1/responses", { model: agent, input: WORD })).id;
    const rule = (await make("/v1/rules", { name: "r", agent_id: agent, tools: ["add"], then: "ask" })).id;
    await make("/v1/memories", { text: WORD, scope: "agent", agent_id: agent });
    return {
      agent,
      session,
      ...sessions,
      run,
      message: messages[0].id,
      dataset,
      schedule,
      response,
      rule,
      experiment,
      item: items[0].id,
    };
  }

  async function send(row: ForeignIdRow, caller: string, id: string): Promise<Answer> {
    const { who, things } = people[caller] ?? {};
    const [method = "", path = "", field = ""] = row.field.split(" ");
    const base = row.path && things ? row.path(things) : path;
    const isQuery = field.startsWith("?");
    const url = isQuery ? `${base}${base.includes("?") ? "&" : "?"}${field.slice(1)}=${id}` : base;
    return server.call(method, url, things && row.body?.(things, id), who);
  }

  /** The answer without what differs by itself: the id that was sent, other ids and times. */
  const shownOf = ({ status, body }: Answer, id: string): string =>
    `${status} ${JSON.stringify(body).replaceAll(id, "ID")}`.replace(UUID, "UUID").replace(TIME, "TIME");

  async function tryRow(row: ForeignIdRow, caller: string, victim: string): Promise<void> {
    const [own = "", theirs = ""] = [caller, victim].map((name) => people[name]?.things[row.names]);
    const none = theirs.replace(/[0-9a-f-]{36}/, crypto.randomUUID());
    const works = await send(row, caller, own);
    expect(works.status, JSON.stringify(works.body)).toSatisfy((it) => it === row.own || it < 300);
    const answer = await send(row, caller, theirs);
    if (row.isChosen && caller === "beta") return expect(answer.status).toBe(works.status);
    if (row.finds) expect(answer).toMatchObject({ status: 200, body: { items: [] } });
    else expect(answer.status, JSON.stringify(answer.body)).toSatisfy((it) => it >= 403 && it < 500);
    if (!row.isChosen) expect(shownOf(answer, theirs)).toBe(shownOf(await send(row, caller, none), none));
  }

  const rows = FOREIGN_IDS.map((row) => [row.field, row] as const);
  test.each(rows)("%s: another person's and another organisation's looks like none", async (_field, row) => {
    if (!row.byAdmins) await tryRow(row, "bob", "ann");
    await tryRow(row, "beta", "acme");
  });

  test("what another organisation calls its own did not change in acme", async () => {
    const { who, things } = people.acme ?? {};
    const read = async (path: string) => (await server.call("GET", path, undefined, who)).body;
    expect((await read(`/v1/sessions/${things?.spareSession}`)).title).not.toBe("taken over");
    expect((await read(`/v1/sessions/${things?.session}/messages`)).items).toHaveLength(2);
    expect((await read(`/v1/memories?scope=agent&agent_id=${things?.agent}`)).items).toHaveLength(1);
  });

  test("who may no longer use an agent replays nothing of it, and its users choose none of its revisions", async () => {
    const [ann, bob] = [people.ann?.who ?? {}, people.bob?.who ?? {}];
    const agent = (await server.call("POST", "/v1/agents", { name: "Lent" }, ann)).body.id;
    const session = (await server.call("POST", "/v1/sessions", { agent_id: agent }, bob)).body.id;
    const sent = await server.call("POST", `/v1/sessions/${session}/messages`, { content: "hi" }, bob);
    const run = `/v1/runs/${sent.body.run_id}`;
    await vi.waitFor(async () =>
      expect((await server.call("GET", run, undefined, bob)).body.status).toBe("done"),
    );
    const replay = (change: object) =>
      server.call("POST", "/v1/replays", { runs: [sent.body.run_id], with: change }, bob);
    const dataset_id = people.bob?.things.dataset;
    const measure = (variant: object) =>
      server.call(
        "POST",
        "/v1/experiments",
        { dataset_id, agent_id: agent, scorers: [{ type: "contains", all: ["a"] }], variants: [variant] },
        bob,
      );
    expect([(await replay({})).status, (await measure({})).status]).toEqual([202, 202]);
    const chosen = [await replay({ revision: 1 }), await measure({ revision: 1 })];
    expect(chosen.map(({ status }) => status)).toEqual([403, 403]);
    await server.call("PUT", `/v1/agents/${agent}/shares`, { access: "private", shares: [] }, ann);
    const after = [await replay({}), await measure({})];
    expect(after.map(({ body }) => body.code)).toEqual(["not_found", "not_found"]);
  });

  test("every field that can name a thing is tried here, or listed with a reason", async () => {
    const fields = idFieldsOf((await server.call("GET", "/openapi.json")).body);
    const tried = new Set(FOREIGN_IDS.map(({ field }) => field).filter((field) => !field.endsWith(" model")));
    const rest = fields.filter((field) => !tried.has(field));
    expect(rest.filter((field) => !OTHER_ID_FIELDS.some(([which]) => which.test(field)))).toEqual([]);
    expect([...tried].filter((field) => !fields.includes(field))).toEqual([]);
    expect(OTHER_ID_FIELDS.filter(([which]) => !rest.some((field) => which.test(field)))).toEqual([]);
  });
});
