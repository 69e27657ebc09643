/**
 * The benchmark of honesty: twenty recorded sessions, sixteen changes whose effect on each session is known beforehand. The report
 * finds every effect, in exactly the sessions that have it, and nothing where nothing changed. The last six were added when the
 * comparison was finished, and were found at once: it is not fitted to the first ten.
 */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { effects, obeyPlan, shop } from "./fixtures/shop.ts";

/** Five kinds of session, four of each. */
const KINDS = [
  "find_order #",
  "find_order #; refund # 20",
  "find_order #; ship #",
  "stock #; find_order #",
  "",
];
const SESSIONS = KINDS.flatMap((kind) =>
  [11, 12, 13, 14].map((id) => `${kind.replaceAll("#", String(id))}; say All done for ${id}.`),
);
const has = (word: string) => (plan: string) => plan.includes(word);
const steps = (plan: string) => plan.split(";").length - 1 - (plan.startsWith(";") ? 1 : 0);
const rule = (tool: string, then: string) => ({ rules: [{ name: "trial", tools: [tool], then }] });

interface Change {
  readonly with: object;
  /** The sessions it has an effect on. */
  readonly affects: (plan: string) => boolean;
  /** What must be found in each of them. */
  readonly finds: RegExp;
}

const CHANGES: Readonly<Record<string, Change>> = {
  "a worse prompt that forgets refunds": {
    with: { system_prompt: "skip:refund" },
    affects: has("refund"),
    finds: /missing refund/,
  },
  "a prompt with other arguments": {
    with: { system_prompt: "as:ship 99" },
    affects: has("ship"),
    finds: /diverged ship/,
  },
  "a prompt that looks elsewhere first": {
    with: { system_prompt: "first:stock 7" },
    affects: () => true, // nobody recorded the stock of 7
    finds: /diverged stock/,
  },
  "a prompt that works backwards": {
    with: { system_prompt: "reverse" },
    affects: (plan) => steps(plan) > 1,
    finds: /other_order/,
  },
  "a prompt that answers rudely": {
    with: { system_prompt: "say:No." },
    affects: () => true,
    finds: /answer/,
  },
  "another model": {
    with: { model: "openai-compatible/scripted-large" },
    affects: () => true,
    finds: /answer.*tokens/,
  },
  "a stricter rule": {
    with: rule("refund", "deny"),
    affects: has("refund"),
    finds: /gate refund allowed denied/,
  },
  "a rule that asks": { with: rule("ship", "ask"), affects: has("ship"), finds: /gate ship allowed asked/ },
  "a broken tool": {
    with: { revision: 2 },
    affects: has("find_order"),
    finds: /gate find_order allowed denied/,
  },
  "a capability that is gone": {
    with: { revision: 3 },
    affects: (plan) => steps(plan) > 0,
    finds: /gate \w+ allowed denied/,
  },
  "a rule over an argument": {
    with: {
      rules: [
        { name: "trial", tools: ["refund"], when: [{ arg: "id", op: "is", value: "12" }], then: "deny" },
      ],
    },
    affects: has("refund 12"),
    finds: /gate refund allowed denied/,
  },
  "a prompt that repeats a call": {
    with: { system_prompt: "twice:refund" },
    affects: has("refund"),
    finds: /diverged refund/, // one result was recorded, and a second refund is never made up
  },
  "a limit on the steps": {
    with: { revision: 4 },
    affects: (plan) => steps(plan) > 1,
    finds: /outcome done run_step_limit/,
  },
  "a model that is down": {
    with: { model: "openai-compatible/scripted-down" },
    affects: () => true,
    finds: /outcome done \w*(?:model|provider)\w*/,
  },
  "a rule of somebody else": {
    with: { rules: [{ name: "trial", tools: ["*"], then: "deny", user: "somebody@example.com" }] },
    affects: () => false,
    finds: /never/,
  },
  "a prompt that slips in one order": {
    with: { system_prompt: "only 13: say:Sorry, not this one." },
    affects: has(" 13"),
    finds: /^answer$/,
  },
};

let server: TestServer;
let llm: ScriptedLlm;
let agentId: string;
const plans = new Map<string, string>();

beforeAll(async () => {
  llm = await scriptedLlm(obeyPlan);
  server = await testServer(await freshPglite(), llmEnvironment(llm), { config: { capabilities: [shop] } });
  const agent = { name: "Clerk", capabilities: ["shop"] };
  agentId = (await server.call("POST", "/v1/agents", agent)).body.id;
  for (const plan of SESSIONS) {
    const { body } = await server.call("POST", "/v1/sessions", { agent_id: agentId });
    const sent = await server.call("POST", `/v1/sessions/${body.id}/messages`, { content: plan });
    plans.set(sent.body.run_id, plan);
    const status = async () => (await server.call("GET", `/v1/runs/${sent.body.run_id}`)).body.status;
    await vi.waitFor(async () => expect(await status()).toBe("done"), { timeout: 20_000 });
  }
  const draft = (change: object) =>
    server.call("PATCH", `/v1/agents/${agentId}`, { ...change, save_as: "draft" });
  expect((await draft({ tool_policies: { find_order: "deny" } })).status).toBe(200);
  expect((await draft({ capabilities: [], tool_policies: {} })).status).toBe(200);
  expect((await draft({ capabilities: ["shop"], limits: { max_steps: 2 } })).status).toBe(200);
  effects.length = 0;
}, 120_000);
afterAll(async () => {
  await server?.stop();
  await llm?.close();
});

test("nothing is found where nothing changed", async () => {
  const found = await replay({});
  expect(found.size).toBe(20);
  expect([...found.values()].filter((text) => text !== "same")).toEqual([]);
});

test.each(Object.keys(CHANGES))("%s is found where it has an effect, and nowhere else", async (name) => {
  const { with: change, affects, finds } = CHANGES[name] as Change;
  const found = await replay(change);
  expect(found.size).toBe(20);
  for (const [runId, text] of found) {
    const plan = plans.get(runId) ?? "";
    if (affects(plan)) expect(text, plan).toMatch(finds);
    else expect(text, plan).toBe("same");
  }
  expect(effects).toEqual([]);
});

/** What the report says of each run, as text. */
async function replay(change: object): Promise<Map<string, string>> {
  const body = { query: { agent_id: agentId }, with: change, concurrency: 8 };
  const made = await server.call("POST", "/v1/replays", body);
  expect(made).toMatchObject({ status: 202 });
  const get = async () => (await server.call("GET", `/v1/replays/${made.body.id}`)).body;
  await expect.poll(async () => (await get()).status, { timeout: 60_000 }).toBe("done");
  const { comparisons } = await get();
  return new Map(comparisons.map((each: Compared) => [each.run_id, textOf(each)]));
}

interface Compared {
  run_id: string;
  verdict: string;
  calls: { change: string; tool: string }[];
  gate: { tool: string; before: string; after: string }[];
  answer: { same: boolean };
  outcome: { before: string; after: string };
  tokens: { before: number; after: number };
  diverged: { tool: string } | null;
}

function textOf({ verdict, calls, gate, answer, tokens, diverged, outcome }: Compared): string {
  if (verdict === "same") return "same";
  return [
    ...calls.filter(({ change }) => change !== "same").map(({ change, tool }) => `${change} ${tool}`),
    ...gate.map(({ tool, before, after }) => `gate ${tool} ${before} ${after}`),
    ...(diverged ? [`diverged ${diverged.tool}`] : []),
    ...(outcome.before === outcome.after ? [] : [`outcome ${outcome.before} ${outcome.after}`]),
    ...(answer.same ? [] : ["answer"]),
    ...(tokens.before === tokens.after ? [] : ["tokens"]),
  ].join(", ");
}
