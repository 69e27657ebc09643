/**
 * Work in the background outlives the request that began it: replays, experiments and monitors are worth what whoever began
 * them is at each step, and what they found is shown only as long as its runs may be seen.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scriptedModel } from "../../../../tools/scripted-model.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

type Who = Record<string, string>;
const SAID = "the code of the safe is 4711";
const SCORERS = [{ type: "contains", all: ["4711"] }];

/** How often a replay asked, and what its answers wait for. */
let asked = 0;
let held: Promise<void> = Promise.resolve();
const slow = scriptedModel(
  async () => {
    asked++;
    await held;
    return [{ text: "Aye." }];
  },
  { name: "test/slow", label: "test/slow" },
);
let judged = 0;
const judge = scriptedModel(
  () => {
    judged++;
    return [{ text: '{"score": 1}' }];
  },
  { name: "test/judge", label: "test/judge" },
);
const quick = scriptedModel(() => [{ text: "Aye." }]);

describe.each(STORES)("on $name", ({ fresh }) => {
  let server: TestServer;
  beforeAll(async () => {
    const models = { "test/scripted": quick, "test/slow": slow, "test/judge": judge };
    server = await testServer(await fresh(), {}, { models });
  });
  afterAll(() => server?.stop());

  let people = 0;
  const key = async (owner: string, right: string) => {
    const { body } = await server.call("POST", "/v1/keys", { name: right, owner, rights: [right] });
    return { id: body.id as string, who: { authorization: `Bearer ${body.key}` } as Who };
  };
  /** Somebody with an agent for everybody. */
  async function somebody(right = "author") {
    const email = `person${++people}@example.com`;
    const { who } = await key(email, "author");
    const agent = (await server.call("POST", "/v1/agents", { name: email, model: "test/scripted" }, who)).body
      .id as string;
    const above = right === "author" ? undefined : await key(email, right);
    return { email, who, agent, above };
  }
  async function say(agent: string, who: Who): Promise<string> {
    const session = (await server.call("POST", "/v1/sessions", { agent_id: agent }, who)).body.id;
    const { body } = await server.call("POST", `/v1/sessions/${session}/messages`, { content: SAID }, who);
    await expect
      .poll(async () => (await server.call("GET", `/v1/runs/${body.run_id}`)).body.status, {
        timeout: 20_000,
      })
      .toBe("done");
    return body.run_id;
  }
  /** Begins work with one place, does something while its first answer is awaited, and says how its parts ended. */
  async function meanwhile(path: string, body: object, who: Who, change: () => Promise<unknown>) {
    const wait = Promise.withResolvers<void>();
    [held, asked] = [wait.promise, 0];
    const made = await server.call("POST", path, { concurrency: 1, ...body }, who);
    expect(made.status, JSON.stringify(made.body)).toBe(202);
    await expect.poll(() => asked, { timeout: 20_000 }).toBe(1);
    await change();
    wait.resolve();
    const read = async () => (await server.call("GET", `${path}/${made.body.id}`)).body;
    await expect.poll(async () => (await read()).status, { timeout: 20_000 }).toBe("done");
    return { id: made.body.id as string, ended: (await read()).progress };
  }
  const measure = async (agent: string, who: Who) => {
    const dataset = (await server.call("POST", "/v1/datasets", { name: crypto.randomUUID() }, who)).body.id;
    const items = ["a", "b", "c"].map((id) => ({ id, input: SAID }));
    const put = await server.call("POST", `/v1/datasets/${dataset}/items`, { items }, who);
    expect(put.status, JSON.stringify(put.body)).toBe(200);
    return { dataset_id: dataset, agent_id: agent, scorers: SCORERS, variants: [{ model: "test/slow" }] };
  };

  test("who is no admin any more would go on replaying other people's runs, and read them", async () => {
    const [eve, ann] = [await somebody("admin"), await somebody()];
    const runs = [await say(ann.agent, ann.who), await say(ann.agent, ann.who)];
    const own = await say(eve.agent, eve.who);
    const asAdmin = eve.above?.who ?? {};
    const body = { runs: [...runs, own], with: { model: "test/slow" } };
    const { id, ended } = await meanwhile("/v1/replays", body, asAdmin, () =>
      server.call("DELETE", `/v1/keys/${eve.above?.id}`),
    );
    expect([ended, asked]).toEqual([expect.objectContaining({ done: 2, failed: 1 }), 2]);
    const report = await server.call("GET", `/v1/replays/${id}`, undefined, eve.who);
    expect(report.body.comparisons.map((each: { run_id: string }) => each.run_id)).toEqual([own]);
    for (const run of runs) {
      const read = await server.call("GET", `/v1/replays/${id}/runs/${run}`, undefined, eve.who);
      expect(read.status, JSON.stringify(read.body)).toBe(404);
    }
    expect((await server.call("GET", `/v1/replays/${id}/runs/${own}`, undefined, eve.who)).status).toBe(200);
  });

  test("an agent that was taken from somebody would go on answering in their replay and experiment", async () => {
    const [ann, bob] = [await somebody(), await somebody()];
    const runs = [await say(ann.agent, bob.who), await say(ann.agent, bob.who)];
    const share = (access: string) =>
      server.call("PUT", `/v1/agents/${ann.agent}/shares`, { access, shares: [] }, ann.who);
    const replayed = await meanwhile("/v1/replays", { runs, with: { model: "test/slow" } }, bob.who, () =>
      share("private"),
    );
    expect([replayed.ended, asked]).toEqual([expect.objectContaining({ done: 1, failed: 1 }), 1]);
    await share("all");
    const measured = await meanwhile("/v1/experiments", await measure(ann.agent, bob.who), bob.who, () =>
      share("private"),
    );
    expect([measured.ended, asked]).toEqual([expect.objectContaining({ done: 1, failed: 2 }), 1]);
  });

  test("a monitor of who is no admin any more, or was disabled, would have everybody's runs judged", async () => {
    const [eve, ann, before] = [await somebody("admin"), await somebody(), judged];
    const watch = {
      name: "all",
      agent_id: ann.agent,
      share: 100,
      budget_usd: null,
      scorers: [{ type: "judge", prompt: "What is the code?", model: "test/judge" }],
    };
    const made = await server.call("POST", "/v1/monitors", watch, eve.above?.who);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const counts = async () => (await server.call("GET", `/v1/monitors/${made.body.id}`)).body.runs;
    await say(ann.agent, ann.who);
    await expect.poll(counts, { timeout: 30_000 }).toMatchObject({ done: 1 });
    expect(judged - before).toBe(1);
    await server.call("DELETE", `/v1/keys/${eve.above?.id}`);
    await say(ann.agent, ann.who);
    await expect.poll(counts, { timeout: 30_000 }).toMatchObject({ done: 1, failed: 1 });
    await server.call("PUT", `/v1/users/${eve.email}`, { disabled: true });
    await say(ann.agent, ann.who);
    await expect.poll(counts, { timeout: 30_000 }).toMatchObject({ done: 1, failed: 2 });
    expect(judged - before).toBe(1);
  }, 60_000);
});
