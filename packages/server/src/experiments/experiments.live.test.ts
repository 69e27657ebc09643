/** Variants of an agent, measured on a dataset: what got worse is found, what people and judges say counts, nothing runs. */
import { defineScorer } from "@capstan/core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type LlmRequest,
  llmEnvironment,
  type ScriptedLlm,
  scriptedLlm,
} from "../../../../tools/scripted-llm.ts";
import { scriptedModel } from "../../../../tools/scripted-model.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { effects, obeyPlan, shop } from "../replays/fixtures/shop.ts";

const short = defineScorer({ name: "short", score: ({ answer }) => (answer.length < 20 ? 1 : 0.25) });

/** Ten dollars an answer, as judge and as agent. */
const dear = scriptedModel(
  ({ prompt }) => [{ text: JSON.stringify(prompt[0]).includes("You judge") ? '{"score": 1}' : "Done." }],
  { name: "test/dear", label: "test/dear", prices: { input: 1_000_000, output: 0 } },
);

/** A judge that likes answers with "fund" in them, and changes its mind every second time about "perhaps". */
let asked = 0;
function obeyOrJudge(request: LlmRequest) {
  const system = String(request.messages.find(({ role }) => role === "system")?.content ?? "");
  if (!system.startsWith("You judge")) return obeyPlan(request);
  const shown = JSON.stringify(request.messages.at(-1)?.content);
  const isUnsure = shown.includes("perhaps") && asked++ % 2 === 0;
  const score = shown.includes("Refunded") && !isUnsure ? 1 : 0;
  return {
    text: [`{"why": "because", "score": ${score}}`],
    usage: { prompt_tokens: 100, completion_tokens: 5 },
  };
}

describe.each(STORES)("an experiment on $name", ({ fresh }) => {
  let server: TestServer;
  let llm: ScriptedLlm;
  let agentId: string;
  let datasetId: string;
  let names = 0;
  beforeAll(async () => {
    llm = await scriptedLlm(obeyOrJudge);
    const config = { capabilities: [shop], scorers: [short] };
    server = await testServer(await fresh(), llmEnvironment(llm), {
      config,
      models: { "test/dear": dear },
    });
    const made = await server.call("POST", "/v1/agents", { name: "Clerk", capabilities: ["shop"] });
    agentId = made.body.id;
    datasetId = await dataset(Array.from({ length: 8 }, (_, at) => refund(String(at + 1))));
  });
  afterAll(async () => {
    await server?.stop();
    await llm?.close();
  });
  beforeEach(() => {
    effects.length = 0;
  });

  /** A case whose right answer and calls are known. */
  const refund = (id: string, more: object = {}) => ({
    id: `order ${id}`,
    input: `find_order ${id}; refund ${id} 20; say Refunded ${id}.`,
    expected: `Refunded ${id}.`,
    stubs: [
      { tool: "find_order", input: { id }, output: { order: id } },
      { tool: "refund", input: { id, amount: 20 }, output: "ok" },
    ],
    recorded: { answer: `Refunded ${id}.`, outcome: "done" },
    ...more,
  });
  const dataset = async (items: object[]): Promise<string> => {
    const { id } = (await server.call("POST", "/v1/datasets", { name: `set ${++names}` })).body;
    expect((await server.call("POST", `/v1/datasets/${id}/items`, { items })).status).toBe(200);
    return id;
  };
  const start = async (body: object) => {
    const made = await server.call("POST", "/v1/experiments", {
      dataset_id: datasetId,
      agent_id: agentId,
      ...body,
    });
    expect(made).toMatchObject({ status: 202 });
    return made.body.id as string;
  };
  const report = async (id: string) => {
    const get = async () => (await server.call("GET", `/v1/experiments/${id}`)).body;
    await expect.poll(async () => (await get()).status, { timeout: 20_000 }).not.toBe("running");
    return get();
  };
  const run = async (body: object) => report(await start(body));
  const cellsOf = async (id: string, query = "") =>
    (await server.call("GET", `/v1/experiments/${id}/cells${query}`)).body.items;
  const exact = { type: "exact" };
  const worse = { name: "worse", system_prompt: "skip:refund\nsay:Done." };

  test("measures every item with the live revision, and runs nothing", async () => {
    const done = await run({ scorers: [exact, { type: "code", scorer: "short" }] });
    expect(done).toMatchObject({ status: "done", progress: { total: 8, done: 8 }, version: 1 });
    expect(done.variants).toMatchObject([{ name: "live (revision 1)", revision: 1 }]);
    expect(done.figures.variants[0].scorers).toMatchObject([
      { scorer: "exact", mean: 1, passed: 8, items: 8 },
      { scorer: "short", mean: 1 },
    ]);
    expect(done.figures.variants[0].scorers[0].low).toBeLessThan(0.7);
    expect(effects).toEqual([]);
  });

  test("finds a worse prompt: significant, each regression with its cells, whose traces can be read", async () => {
    const calls = { type: "trajectory", order: "at_least", calls: [{ tool: "refund" }] };
    const done = await run({ variants: [{}, worse], scorers: [exact, calls] });
    expect(done.figures.pairs).toMatchObject([
      { scorer: "exact", variant: 1, difference: -1, verdict: "worse" },
      { scorer: "trajectory", variant: 1, difference: -1, verdict: "worse" },
    ]);
    expect(done.figures.regressions).toHaveLength(16);
    const [first] = done.figures.regressions;
    const trace = (await server.call("GET", `/v1/experiments/${done.id}/cells/${first.after_cells[0]}`)).body;
    expect(trace).toMatchObject({ item_id: first.item_id, answer: "Done.", variant: 1 });
    expect(
      trace.calls.map(({ change, tool }: { change: string; tool: string }) => `${change} ${tool}`),
    ).toEqual(["same find_order", "missing refund"]);
    expect(trace.messages.at(-1)).toMatchObject({ role: "assistant" });
    expect(effects).toEqual([]);
  });

  test("reports nothing where nothing changed, however often it is repeated", async () => {
    const done = await run({ variants: [{}, { name: "same" }], scorers: [exact], repeats: 3 });
    expect(done.progress.total).toBe(48);
    expect(done.figures).toMatchObject({
      regressions: [],
      flaky: [],
      pairs: [{ verdict: "no_difference_found" }],
    });
  });

  test("pins the version, and compares revisions and labels", async () => {
    const own = (await server.call("POST", "/v1/agents", { name: "Own", capabilities: ["shop"] })).body.id;
    await server.call("PATCH", `/v1/agents/${own}`, { system_prompt: "say:No.", save_as: "draft" });
    const id = await dataset([refund("1")]);
    await server.call("POST", `/v1/datasets/${id}/items`, { items: [refund("2")] });
    const body = { dataset_id: id, agent_id: own, scorers: [exact] };
    const done = await run({ ...body, version: 1, variants: [{ revision: "live" }, { revision: "draft" }] });
    expect(done).toMatchObject({ version: 1, progress: { total: 2 } });
    expect(done.variants.map(({ revision }: { revision: number }) => revision)).toEqual([1, 2]);
    expect(done.figures.regressions).toMatchObject([{ item_id: "order 1", before: 1, after: 0 }]);
    const none = { ...body, variants: [{ revision: "canary" }] };
    expect((await server.call("POST", "/v1/experiments", none)).status).toBe(422);
  });

  test("ends a case where a call has no result, and counts it as failed, not as unknown", async () => {
    const id = await dataset([refund("1", { stubs: [] })]);
    const done = await run({ dataset_id: id, scorers: [exact] });
    expect(done.figures.variants[0].scorers).toMatchObject([{ mean: 0 }]);
    const [cell] = await cellsOf(done.id);
    expect(cell).toMatchObject({
      verdict: "diverged",
      outcome: "diverged",
      diverged: { tool: "find_order" },
    });
    expect(effects).toEqual([]);
  });

  test("works on recordings alone, without any model", async () => {
    llm.requests.length = 0;
    const done = await run({ variants: [{ model: "recorded" }], scorers: [exact] });
    expect(done.figures.variants[0].scorers).toMatchObject([{ mean: 1 }]);
    expect(llm.requests).toEqual([]);
    const rules = [{ name: "never", tools: ["refund"], then: "deny" }];
    const denied = await run({
      variants: [{ model: "recorded" }, { model: "recorded", rules }],
      scorers: [exact],
    });
    expect(denied.figures.regressions).toHaveLength(8);
  });

  test("asks a judge, counts its votes and its cost, and shows how far it agrees with people", async () => {
    const id = await dataset([
      refund("1"),
      refund("2", { input: "say No.", expected: "No." }),
      refund("3", { input: "say Refunded, perhaps." }),
    ]);
    const judge = { type: "judge", prompt: "Was it refunded?", votes: 2, pass_at: 0.6 };
    const human = { type: "human", question: "Is it a refund?" };
    const done = await run({ dataset_id: id, scorers: [judge, human] });
    const [first, second, third] = await cellsOf(done.id);
    expect([first, second, third].map(({ scores }) => scores[0].score)).toEqual([1, 0, 0.5]);
    expect(third.scores[0]).toMatchObject({ votes: [0, 1], passed: false, why: "because" });
    expect(done.tokens).toBeGreaterThan(6 * 100);
    expect(done.figures.calibration).toEqual([]);
    const queue = async () => (await server.call("GET", `/v1/experiments/${done.id}/reviews`)).body.items;
    expect((await queue()).map(({ questions }: { questions: object[] }) => questions)).toEqual([
      [{ scorer: "human", question: "Is it a refund?" }],
      [{ scorer: "human", question: "Is it a refund?" }],
      [{ scorer: "human", question: "Is it a refund?" }],
    ]);
    const say = (cell: { id: string }, score: number, scorer = "human") =>
      server.call("POST", `/v1/experiments/${done.id}/cells/${cell.id}/reviews`, { scorer, score });
    await say(first, 1);
    await say(second, 0);
    expect((await say(third, 1)).body.scores[1]).toMatchObject({ score: 1, passed: true });
    expect((await say(third, 1, "judge")).status).toBe(422);
    expect(await queue()).toEqual([]);
    const { figures } = await report(done.id);
    expect(figures.calibration).toMatchObject([{ judge: "judge", human: "human", items: 3, share: 2 / 3 }]);
    expect(figures.variants[0].scorers).toMatchObject([
      { scorer: "judge" },
      { scorer: "human", mean: 2 / 3 },
    ]);
  });

  test("names a case that passes only sometimes", async () => {
    const id = await dataset([refund("1", { input: "say Refunded, perhaps." })]);
    const judge = { type: "judge", prompt: "Was it refunded?" };
    const done = await run({ dataset_id: id, scorers: [judge], repeats: 4, concurrency: 1 });
    expect(done.figures.flaky).toEqual([
      { item_id: "order 1", scorer: "judge", variant: 0, passed: 2, of: 4 },
    ]);
  });

  test("stops at its budget, counts what judges cost, and says how many cells it left out", async () => {
    const scorers = [exact, { type: "judge", prompt: "Good?", model: "test/dear" }];
    const done = await run({ variants: [{ model: "test/dear" }], scorers, budget_usd: 25, concurrency: 1 });
    expect(done.progress).toMatchObject({ total: 8, done: 2, skipped: 6 });
    expect(done).toMatchObject({ cost_usd: 40, judge_usd: 20 });
  });

  test.each<[string, object, string]>([
    ["no scorer at all", {}, "scorers_missing"],
    ["a scorer that nobody wrote", { scorers: [{ type: "code", scorer: "none" }] }, "scorer_unknown"],
    ["two scorers of one name", { scorers: [exact, exact] }, "input_invalid"],
    ["a revision that is not there", { scorers: [exact], variants: [{ revision: 99 }] }, "not_found"],
    [
      "a model that is not there",
      { scorers: [exact], variants: [{ model: "nobody/nothing" }] },
      "provider_unknown",
    ],
    ["an unknown field", { scorers: [exact], temperature: 1 }, "input_invalid"],
    [
      "too many cells",
      { scorers: [exact], repeats: 50, variants: Array(20).fill({}), version: 9 },
      "not_found",
    ],
  ])("refuses %s", async (_what, body, code) => {
    const refused = await server.call("POST", "/v1/experiments", {
      dataset_id: datasetId,
      agent_id: agentId,
      ...body,
    });
    expect(refused.body.code).toBe(code);
  });

  test("is cancelled and deleted", async () => {
    const id = await start({ scorers: [exact], repeats: 20, concurrency: 1 });
    expect((await server.call("POST", `/v1/experiments/${id}/cancel`)).body.status).toBe("cancelled");
    expect((await server.call("DELETE", `/v1/experiments/${id}`)).status).toBe(204);
    expect((await server.call("GET", `/v1/experiments/${id}`)).status).toBe(404);
  });

  test("belongs to its owner alone: the figures, the cells, the queue and the dataset", async () => {
    const done = await run({ scorers: [{ type: "human", question: "Good?" }] });
    const [cell] = await cellsOf(done.id);
    const key = { name: "k", owner: "eve@example.com", rights: ["author"] };
    const eve = { authorization: `Bearer ${(await server.call("POST", "/v1/keys", key)).body.key}` };
    const at = `/v1/experiments/${done.id}`;
    for (const path of ["", "/cells", `/cells/${cell.id}`, "/reviews"])
      expect((await server.call("GET", at + path, undefined, eve)).status).toBe(404);
    const review = { scorer: "human", score: 1 };
    expect((await server.call("POST", `${at}/cells/${cell.id}/reviews`, review, eve)).status).toBe(404);
    expect((await server.call("POST", `${at}/cancel`, undefined, eve)).status).toBe(404);
    expect((await server.call("GET", "/v1/experiments", undefined, eve)).body.items).toEqual([]);
    const body = { dataset_id: datasetId, agent_id: agentId, scorers: [exact] };
    expect((await server.call("POST", "/v1/experiments", body, eve)).status).toBe(422);
  });
});
