/** Cases from runs, files and by hand: in versions that stay as they were, without secrets, and nobody else's. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { typeCommand } from "../../../../tools/command-under-test.ts";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { obeyPlan, shop } from "../replays/fixtures/shop.ts";

const KEY = "sk-0123456789abcdefghij";

describe.each(STORES)("a dataset on $name", ({ fresh }) => {
  let server: TestServer;
  let llm: ScriptedLlm;
  let agentId: string;
  let names = 0;
  beforeAll(async () => {
    llm = await scriptedLlm(obeyPlan);
    server = await testServer(await fresh(), llmEnvironment(llm), { config: { capabilities: [shop] } });
    const made = await server.call("POST", "/v1/agents", { name: "Clerk", capabilities: ["shop"] });
    agentId = made.body.id;
  });
  afterAll(async () => {
    await server?.stop();
    await llm?.close();
  });

  const create = async (): Promise<string> => {
    const made = await server.call("POST", "/v1/datasets", { name: `set ${++names}` });
    expect(made).toMatchObject({ status: 201, body: { version: 0, items: 0 } });
    return made.body.id;
  };
  const record = async (content: string) => {
    const { id } = (await server.call("POST", "/v1/sessions", { agent_id: agentId })).body;
    const { run_id } = (await server.call("POST", `/v1/sessions/${id}/messages`, { content })).body;
    const status = async () => (await server.call("GET", `/v1/runs/${run_id}`)).body.status;
    await expect.poll(status, { timeout: 20_000 }).toBe("done");
    return { runId: run_id as string, sessionId: id as string };
  };
  const rate = async ({ sessionId }: { sessionId: string }, value: "up" | "down") => {
    const { body } = await server.call("GET", `/v1/sessions/${sessionId}/messages`);
    await server.call("POST", `/v1/sessions/${sessionId}/messages/${body.items.at(-1).id}/feedback`, {
      value,
    });
  };
  const importInto = (id: string, body: object) => server.call("POST", `/v1/datasets/${id}/import`, body);
  const itemsOf = async (id: string, query = "") =>
    (await server.call("GET", `/v1/datasets/${id}/items${query}`)).body.items;
  const exported = async (id: string, format = "jsonl"): Promise<string> =>
    (await fetch(`${server.url}/v1/datasets/${id}/export?format=${format}`)).text();
  const item = (id: string, more: object = {}) => ({ id, input: `case ${id}`, ...more });

  test("takes recorded runs with their calls, results and answers, and outlives their session", async () => {
    const id = await create();
    const run = await record("find_order 17; refund 17 20; say Refunded.");
    const { body } = await importInto(id, { runs: [run.runId], expect: "answer", labels: ["refund"] });
    expect(body).toMatchObject({ version: 1, added: 1, scrubbed: [], skipped: [] });
    await server.call("DELETE", `/v1/sessions/${run.sessionId}`);
    expect(await itemsOf(id, "?label=refund")).toMatchObject([
      {
        id: run.runId,
        input: "find_order 17; refund 17 20; say Refunded.",
        expected: "Refunded.",
        stubs: [
          { tool: "find_order", input: { id: "17" }, output: { order: "17", by: "find_order" }, turn: 0 },
          { tool: "refund", input: { id: "17", amount: 20 }, turn: 1 },
        ],
        recorded: { answer: "Refunded.", outcome: "done" },
        source: { kind: "run", run_id: run.runId, agent_id: agentId },
      },
    ]);
    expect(await itemsOf(id, "?label=other")).toEqual([]);
  });

  test("takes what people did not like, and runs of a labelled revision", async () => {
    const id = await create();
    const liked = await record("find_order 1; say One.");
    const disliked = await record("find_order 2; say Two.");
    await rate(liked, "up");
    await rate(disliked, "down");
    const query = { agent_id: agentId };
    await importInto(id, { query: { ...query, feedback: "down" } });
    expect((await itemsOf(id)).map((each: { id: string }) => each.id)).toEqual([disliked.runId]);
    expect((await importInto(id, { query: { ...query, label: "live", feedback: "up" } })).body.added).toBe(1);
    const none = await importInto(id, { query: { ...query, label: "canary" } });
    expect(none).toMatchObject({ status: 422, body: { code: "replay_empty" } });
  });

  test("takes secrets out of everything it keeps, and says where they were", async () => {
    const id = await create();
    const { runId } = await record(`find_order ${KEY}; say It is ${KEY}.`);
    const { body } = await importInto(id, { runs: [runId] });
    expect(body.scrubbed.map((each: { path: string }) => each.path)).toEqual([
      "/input",
      "/input",
      "/stubs/0/input/id",
      "/stubs/0/output/order",
      "/recorded/answer",
    ]);
    const everything = [JSON.stringify(body), JSON.stringify(await itemsOf(id)), await exported(id)].join();
    expect(everything).toContain("[secret 1]");
    expect(everything).not.toContain(KEY);
    const mail = { items: [item("mail", { expected: "ada@example.com" })], scrub: ["email"] };
    const put = await server.call("POST", `/v1/datasets/${id}/items`, mail);
    expect(put.body.scrubbed).toEqual([
      { item_id: "mail", path: "/expected", kind: "email", placeholder: "[email 1]" },
    ]);
  });

  test("keeps every version as it was: added, changed, removed, and purged from all", async () => {
    const id = await create();
    const put = (items: object[], why = "") =>
      server.call("POST", `/v1/datasets/${id}/items`, { items, why });
    expect((await put([item("a"), item("b")], "first")).body).toMatchObject({ version: 1, added: 2 });
    expect((await put([item("a", { note: "better" })])).body).toMatchObject({ version: 2, changed: 1 });
    expect((await put([item("a", { note: "better" })])).body).toMatchObject({ version: 2, unchanged: 1 });
    const dropped = await server.call("DELETE", `/v1/datasets/${id}/items/b`);
    expect(dropped.body).toMatchObject({ version: 3, removed: 1 });
    const shape = async (version: number) =>
      (await itemsOf(id, `?version=${version}`)).map(
        ({ id: of, note = "" }: { id: string; note?: string }) => of + note,
      );
    expect([await shape(1), await shape(2), await shape(3)]).toEqual([
      ["a", "b"],
      ["abetter", "b"],
      ["abetter"],
    ]);
    const { body } = await server.call("GET", `/v1/datasets/${id}/versions`);
    expect(body.items).toMatchObject([
      { number: 3, removed: 1, items: 1 },
      { number: 2, changed: 1, items: 2 },
      { number: 1, added: 2, items: 2, why: "first" },
    ]);
    expect((await server.call("GET", `/v1/datasets/${id}/items?version=9`)).status).toBe(404);
    expect((await server.call("DELETE", `/v1/datasets/${id}/items/b`)).status).toBe(404);
    await server.call("DELETE", `/v1/datasets/${id}/items/b?purge=true`);
    expect(await shape(1)).toEqual(["a"]);
  });

  test.each(["jsonl", "csv"] as const)("comes back from its own %s file as it was", async (format) => {
    const [from, to] = [await create(), await create()];
    const items = [
      item("plain", { labels: ["x", "y"], note: 'with "quotes", and\nlines' }),
      item("-5", {
        input: "=1+1",
        expected: { total: 3 },
        stubs: [{ tool: "find", input: { id: 1 }, output: [1] }],
      }),
      item("run", { history: [{ role: "user", text: "hi" }], recorded: { answer: "ok", outcome: "done" } }),
    ];
    await server.call("POST", `/v1/datasets/${from}/items`, { items });
    const text = await exported(from, format);
    expect((await importInto(to, { file: { format, text } })).body).toMatchObject({ added: 3 });
    const content = async (id: string) =>
      (await itemsOf(id)).map(({ source: _, ...rest }: { source: unknown }) => rest);
    expect(await content(to)).toEqual(await content(from));
  });

  test.each<[string, object, string]>([
    [
      "a line that is no JSON",
      { format: "jsonl", text: '{"id":"a","input":"x"}\nnope' },
      "line 2: it is not JSON",
    ],
    [
      "every line that is wrong",
      { format: "jsonl", text: 'nope\n{"id":"a"}\n{"id":"b","input":"x"}\nnope' },
      "line 1: it is not JSON; line 2: input: missing, expected string; line 4: it is not JSON",
    ],
    [
      "every row that is wrong",
      { format: "csv", text: "input,stubs,recorded\nx,nope,nope\ny,,\nz,nope," },
      "row 2, stubs: it is not JSON; recorded: it is not JSON; row 4, stubs: it is not JSON",
    ],
    ["an unknown field", { format: "jsonl", text: '{"id":"a","input":"x","mood":1}' }, "line 1"],
    [
      "a field twice",
      { format: "jsonl", text: '{"id":"a","input":"x","input":"y"}' },
      '"input" is given twice',
    ],
    [
      "a number that would be rounded",
      { format: "jsonl", text: '{"id":"a","input":"x","expected":12345678901234567890}' },
      "line 1: ",
    ],
    [
      "what is nested too deeply",
      { format: "jsonl", text: `{"id":"a","input":"x","expected":${"[".repeat(5000)}${"]".repeat(5000)}}` },
      "line 1: it is nested deeper than 200 levels",
    ],
    ["a cell too many", { format: "csv", text: "id,input\n1,a,b" }, "row 2: it has more cells"],
    ["an id twice", { format: "jsonl", text: '{"id":"a","input":"x"}\n{"id":"a","input":"y"}' }, "twice"],
    ["an open quote", { format: "csv", text: 'input\n"x' }, "quote"],
    ["an empty file", { format: "jsonl", text: "" }, "no items"],
  ])("refuses %s, and stores nothing of the file", async (_what, file, where) => {
    const id = await create();
    const refused = await importInto(id, { file });
    expect(refused).toMatchObject({ status: 422, body: { code: "dataset_file_invalid" } });
    expect(refused.body.message).toContain(where);
    expect((await server.call("GET", `/v1/datasets/${id}`)).body.version).toBe(0);
  });

  test("is found by its name, which its owner has once", async () => {
    const name = `set ${++names}`;
    expect((await server.call("POST", "/v1/datasets", { name })).status).toBe(201);
    expect(await server.call("POST", "/v1/datasets", { name })).toMatchObject({
      status: 409,
      body: { code: "dataset_name_taken" },
    });
    const other = await create();
    expect((await server.call("PATCH", `/v1/datasets/${other}`, { name })).status).toBe(409);
    expect((await server.call("PATCH", `/v1/datasets/${other}`, { description: "d" })).body.description).toBe(
      "d",
    );
    expect((await server.call("DELETE", `/v1/datasets/${other}`)).status).toBe(204);
    expect((await server.call("GET", `/v1/datasets/${other}`)).status).toBe(404);
  });

  test("belongs to its owner alone, and takes no run of somebody else", async () => {
    const id = await create();
    const { runId } = await record("find_order 1; say One.");
    const key = { name: "k", owner: "eve@example.com", rights: ["author"] };
    const eve = { authorization: `Bearer ${(await server.call("POST", "/v1/keys", key)).body.key}` };
    const asEve = (method: string, path: string, body?: object) => server.call(method, path, body, eve);
    for (const path of ["", "/items", "/versions", "/export"])
      expect((await asEve("GET", `/v1/datasets/${id}${path}`)).status).toBe(404);
    expect((await asEve("POST", `/v1/datasets/${id}/items`, { items: [item("a")] })).status).toBe(404);
    expect((await asEve("DELETE", `/v1/datasets/${id}`)).status).toBe(404);
    expect((await asEve("GET", "/v1/datasets")).body.items).toEqual([]);
    const own = (await asEve("POST", "/v1/datasets", { name: "mine" })).body.id;
    expect((await asEve("POST", `/v1/datasets/${own}/import`, { runs: [runId] })).status).toBe(422);
    expect((await asEve("POST", `/v1/datasets/${own}/import`, { query: {} })).status).toBe(422);
  });

  test("is made, filled, shown and exported from the command line", async () => {
    const folder = await mkdtemp(join(tmpdir(), "capstan-datasets-"));
    const capstan = (...args: string[]) => typeCommand(server.url, ["datasets", ...args]);
    try {
      const [name, file, out] = [`set ${++names}`, join(folder, "cases.csv"), join(folder, "out.jsonl")];
      await writeFile(file, `id,input,expected\n1,What is it?,${KEY}\n`);
      expect((await capstan("create", name)).out).toContain(name);
      const imported = await capstan("import", name, file);
      expect(imported.out).toContain("v1: 1 added");
      expect(imported.out).toContain("1 /expected: [secret 1]");
      expect(imported.out).not.toContain(KEY);
      expect((await capstan("show", name)).out).toContain("What is it?");
      expect(JSON.parse((await capstan("show", name, "--json")).out).content).toHaveLength(1);
      await capstan("export", name, "--output", out);
      expect(JSON.parse(await readFile(out, "utf8"))).toMatchObject({ id: "1", expected: "[secret 1]" });
      expect((await capstan("drop", name, "1")).out).toContain("v2");
      expect((await capstan("versions", name)).out).toContain("-1");
      expect((await capstan("remove", name)).code).toBe(0);
      expect((await capstan("show", name)).code).toBe(1);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
