/**
 * The gate proof: forbidden calls, tried on every path that leads to a tool. A new path adds a row to PATHS.
 * Each attempt has its own agent; executions are counted in the tool itself, refusals are read from the history.
 */
import type { ToolPolicy } from "@capstan/core";
import { CALL_PATHS, FAILURES } from "@capstan/core/internal";
import { triggerHandler } from "@capstan/runtime";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type LlmReply,
  type LlmRequest,
  llmEnvironment,
  type ScriptedLlm,
  scriptedLlm,
  toolAnswered,
} from "../../../../tools/scripted-llm.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { callOverMcp } from "../fixtures/call-over-mcp.ts";
import {
  PROOF_CAPABILITIES,
  PROOF_TOOLS,
  PROVIDER,
  proof,
  ran,
  SCOPE,
  UNLUCKY,
} from "../fixtures/proof-capabilities.ts";
import { scriptedAdapter } from "../harness/fixtures/scripted-adapter.ts";

let server: TestServer;
let llm: ScriptedLlm;
const NEEDED = "connection_needed";
const ASKED = 88;
const SPENT = { prompt_tokens: 1000, completion_tokens: 1 };

beforeAll(async () => {
  llm = await scriptedLlm(() => ({ text: ["Hello."] }));
  server = await testServer(await freshPglite(), llmEnvironment(llm), {
    config: { capabilities: PROOF_CAPABILITIES, codingAgents: [scriptedAdapter()] },
  });
  const hosts = ["api.postbox.example"];
  await server.call("PUT", `/v1/connection-providers/${PROVIDER}`, { kind: "api_key", hosts });
  for (const rule of RULES)
    expect(await server.call("POST", "/v1/rules", rule)).toMatchObject({ status: 201 });
  // The one call that the limits leave.
  for (const n of [85, 86])
    expect(await server.call("POST", "/v1/capabilities/proof/tools/act", { input: { n } })).toMatchObject({
      status: 200,
    });
});
afterAll(async () => {
  await server.stop();
  await llm.close();
});
beforeEach(() => {
  ran.length = 0;
  llm.requests.length = 0;
});

interface Attempt {
  readonly tool: "act" | "guarded" | "connected";
  readonly n: number;
  readonly code: keyof typeof FAILURES;
  /** What makes the call forbidden, as fields of the agent. */
  readonly agent?: object;
  readonly spent?: boolean;
  /** Every conversation has read untrusted content. */
  readonly hasRead?: boolean;
}

const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  "denied by policy": { tool: "act", n: 1, code: "tool_denied", agent: { tool_policies: { act: "deny" } } },
  "denied by a check": { tool: "act", n: UNLUCKY, code: "tool_denied" },
  unscoped: { tool: "guarded", n: 1, code: "scope_missing" },
  "over budget": {
    tool: "act",
    n: 1,
    code: "budget_exhausted",
    agent: { limits: { max_tokens: 100 } },
    spent: true,
  },
  invalid: { tool: "act", n: 500, code: "tool_input_invalid" },
  "denied by a rule on an argument": { tool: "act", n: 77, code: "rule_denied" },
  "denied by a rule's expression": { tool: "act", n: 78, code: "rule_denied" },
  "denied by a rule that breaks": { tool: "act", n: 79, code: "rule_denied" },
  "denied by a rule on what was read": { tool: "act", n: 80, code: "rule_denied", hasRead: true },
  "denied by a rule on the user": { tool: "act", n: 81, code: "rule_denied" },
  "denied by a rule on groups": { tool: "act", n: 82, code: "rule_denied" },
  "denied by a rule on the way": { tool: "act", n: 83, code: "rule_denied" },
  "denied by a rule on the time": { tool: "act", n: 84, code: "rule_denied" },
  "over a rule's limit": { tool: "act", n: 85, code: "rule_denied" },
  "denied by a rule on how often": { tool: "act", n: 86, code: "rule_denied" },
  "denied by a user's own rule": { tool: "act", n: 87, code: "rule_denied" },
};

/** Each kind of rule, for one number each. */
const RULES = [
  { name: "argument", tools: ["act", "careful*"], when: [{ arg: "n", op: "is", value: 77 }], then: "deny" },
  {
    name: "expression",
    tools: ["capability:proof", "act"],
    when: [{ expr: "has(args.n) && args.n == 78" }],
    then: "deny",
  },
  {
    name: "broken",
    tools: ["act", "careful"],
    when: [{ expr: "args.n == 79 && int('no number') > 1" }],
    then: "allow",
  },
  {
    name: "read",
    tools: ["act", "careful*"],
    when: [{ seen: "untrusted" }, { arg: "n", op: "is", value: 80 }],
    then: "deny",
  },
  ruleOn(81, [{ user: ["local@localhost", "nobody@example.com"] }]),
  ruleOn(82, [{ not_group: "provers" }]),
  ruleOn(83, [{ path: CALL_PATHS }]),
  ruleOn(84, [{ time: allButAnHourLater() }]),
  { ...ruleOn(85), then: "limit", limit: { calls: 1, per: "month" } },
  ruleOn(86, [{ often: { op: "above", calls: 1, per: "month" } }]),
  { ...ruleOn(87), user: "local@localhost" },
  { ...ruleOn(87), user: "nobody@example.com" },
  { ...ruleOn(ASKED), then: "ask" },
];

function ruleOn(n: number, when: object[] = []) {
  const tools = ["act", "careful*"];
  return { name: `rule on ${n}`, tools, when: [{ arg: "n", op: "is", value: n }, ...when], then: "deny" };
}

/** Every minute of the day but an hour that does not come while this runs. */
function allButAnHourLater() {
  const clock = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  return { from: clock(3), to: clock(2) };
}

interface Path {
  /** Its name in the history. */
  readonly recorded: string;
  /** Makes the call; returns the code of the refusal. */
  attempt(attempt: Attempt): Promise<string | undefined>;
  /** Attempts that never reach the gate, with what stops them. */
  readonly before?: Readonly<Record<string, string>>;
  /** A call by itself: there is no conversation that could have read something. */
  readonly isAlone?: boolean;
  /** What becomes of a call that every other path makes: this one never has an effect. */
  readonly instead?: string;
}

const PATHS: Readonly<Record<string, Path>> = {
  "REST, one tool": {
    recorded: "rest",
    async attempt({ tool, n, ...more }) {
      const agentId = more.spent ? await agent() : await agent(more.agent);
      const session = more.spent
        ? await waiting(agentId, more.agent)
        : more.hasRead && (await newSession(agentId));
      const path = `/v1/capabilities/proof/tools/${tool}`;
      const { body } = await server.call("POST", path, {
        input: { n },
        agent_id: agentId,
        ...(session && { session_id: session.id }),
      });
      return body.code;
    },
  },
  "the loop": { recorded: "loop", attempt: inALoop(1) },
  "parallel calls of the loop": { recorded: "loop", attempt: inALoop(3) },
  search_tools: {
    recorded: "search",
    async attempt(attempt) {
      const agentId = await agent({ ...attempt.agent, capabilities: ["proof_bulk", "proof"] });
      let step = 0;
      llm.script = () => {
        step++;
        if (step === 1) return { calls: [call("search_tools", { query: "prove a number" })] };
        return step === 2 ? asks(attempt) : { text: ["Done."] };
      };
      await say(agentId);
      const shown = llm.requests.map(({ tools = [] }) => tools.map((tool) => tool.function.name));
      expect(shown[0]).toContain("search_tools");
      expect(shown[0]).not.toContain("act");
      return refusalOf(agentId);
    },
  },
  "AG-UI": {
    recorded: "loop",
    async attempt(attempt) {
      const agentId = await agent(attempt.agent);
      llm.script = once(asks(attempt));
      const events = await server.call("POST", `/v1/agents/${agentId}/ag-ui`, {
        threadId: uuidv7(),
        runId: uuidv7(),
        messages: [{ id: uuidv7(), role: "user", content: "go" }],
        state: {},
        tools: [],
        context: [],
        forwardedProps: {},
      });
      const code = await refusalOf(agentId);
      const shown = code === NEEDED ? '"reason":"connect"' : `\\"code\\":\\"${code}\\"`;
      if (code) expect(events.body).toContain(shown);
      return code;
    },
  },
  A2A: {
    recorded: "loop",
    async attempt(attempt) {
      const agentId = await agent(attempt.agent);
      llm.script = once(asks(attempt));
      const message = {
        kind: "message",
        messageId: uuidv7(),
        role: "user",
        parts: [{ kind: "text", text: "go" }],
      };
      const rpc = { jsonrpc: "2.0", id: 1, method: "message/send", params: { message } };
      expect((await server.call("POST", `/v1/agents/${agentId}/a2a`, rpc)).body.result.kind).toBe("task");
      return refusalOf(agentId);
    },
  },
  "MCP with an agent's token": {
    recorded: "mcp",
    async attempt({ tool, n, ...more }) {
      const agentId = more.spent ? await agent() : await agent(more.agent);
      const session = more.spent ? await waiting(agentId, more.agent) : undefined;
      const { body } = await server.call("POST", `/v1/agents/${agentId}/tokens`, {
        name: "proof",
        ...(session && { session_id: session.id }),
      });
      return callOverMcp(server.url, body.token, tool, { n });
    },
  },
  "MCP with a run's token": {
    recorded: "harness",
    async attempt({ tool, n, ...more }) {
      const agentId = await agent();
      const { id: sessionId, runId } = await waiting(agentId, more.agent ?? {});
      const by = { userEmail: "local@localhost", createdBy: "local@localhost" };
      const { token } = await server.services.tokens.create({ runId, sessionId, agentId, ...by });
      return callOverMcp(server.url, token, tool, { n });
    },
  },
  "a coding agent's program": {
    recorded: "harness",
    before: { "over budget": "run_token_limit" },
    async attempt({ tool, n, spent, agent: wrong }) {
      const agentId = await agent({ harness: "scripted", ...wrong });
      const sessionId = await say(
        agentId,
        `${spent ? "usage 1000\n" : ""}call ${tool} ${JSON.stringify({ n })}`,
      );
      const [run] = await server.services.runs.runsOf(sessionId);
      return run?.outcome?.type === "failed" ? run.outcome.failure.code : refusalOf(agentId);
    },
  },
  "an agent that another asked": {
    recorded: "subagent",
    async attempt(attempt) {
      // the delegate has the right; the caller does not, and passes on at most its own
      const child = await agent({ name: "Child", granted_scopes: [SCOPE], ...attempt.agent });
      const parent = await agent({ capabilities: [`agent.${child}`] });
      const isChild = ({ messages }: LlmRequest) =>
        messages.some(
          ({ role, content }) => role === "user" && JSON.stringify(content).includes("the child's"),
        );
      const [own, childs] = [
        once({ calls: [call("delegate_to_child", { task: "the child's" })] }),
        once(asks(attempt)),
      ];
      llm.script = (request) => (isChild(request) ? childs(request) : own(request));
      await say(parent);
      return refusalOf(child);
    },
  },
  "a trigger": {
    recorded: "trigger",
    async attempt(attempt) {
      const id = `proof_trigger_${uuidv7().slice(-12)}`;
      server.services.registry.register(proof(id, PROOF_TOOLS));
      const agentId = await agent({ ...attempt.agent, capabilities: [id] });
      llm.script = once(asks(attempt));
      await triggerHandler({ ...server.services, schedules: { list: async () => [] } })({
        capability: id,
        trigger: {
          id: uuidv7(),
          user: "local@localhost",
          type: "proof",
          payload: {},
          created_at: new Date().toISOString(),
        },
      } as never);
      return refusalOf(agentId);
    },
  },
  "a task": {
    recorded: "task",
    isAlone: true,
    before: { "denied by policy": "not planned", unscoped: "not planned" },
    async attempt({ tool, n, spent, agent: wrong }) {
      const limits = spent ? { limits: { max_seconds: 1e-6 } } : wrong;
      const agentId = await agent({ ...limits, tool_policies: deniedBut(tool, wrong) });
      const { body } = await server.call("POST", "/api/execute-task", {
        task: `prove the number ${n}`,
        agentId,
      });
      return body.plan.length === 0 ? "not planned" : body.diagnostics.failures[0]?.code;
    },
  },
  "a route of the catalog": {
    recorded: "rest",
    isAlone: true,
    before: { "over budget": "rate_limited" },
    async attempt({ tool, n, spent, agent: wrong }) {
      const rights = { name: "proof", owner: "nobody@example.com", rights: ["author"] };
      const { body: made } = await server.call("POST", "/v1/keys", {
        ...rights,
        ...(spent && { per_minute: 1 }),
      });
      const key = { authorization: `Bearer ${made.key}` };
      if (spent) await server.call("GET", "/v1/capabilities", undefined, key);
      const denied = wrong && !spent ? "-denied" : "";
      const path = `/api/proof${tool === "guarded" ? "-guarded" : denied}`;
      return (await server.call("POST", path, { n }, key)).body.code;
    },
  },
  "a replay": {
    recorded: "replay",
    instead: "diverged",
    async attempt(attempt) {
      const agentId = await agent(attempt.agent);
      llm.script = () => ({ text: ["Hello."] });
      const sessionId = await say(agentId);
      llm.script = once(asks(attempt));
      const { body } = await server.call("POST", "/v1/replays", {
        sessions: [sessionId],
        live_reads: true,
        with: {},
      });
      const get = async () => (await server.call("GET", `/v1/replays/${body.id}`)).body;
      await expect.poll(async () => (await get()).status, { timeout: 20_000 }).toBe("done");
      const [{ run_id, verdict }] = (await get()).comparisons;
      const { after } = (await server.call("GET", `/v1/replays/${body.id}/runs/${run_id}`)).body;
      const result = after.find(({ role }: { role: string }) => role === "tool")?.content[0];
      return result?.output.value.code ?? verdict;
    },
  },
  "an approval in a run": {
    recorded: "loop",
    before: { invalid: "tool_input_invalid" },
    async attempt(attempt) {
      const agentId = await agent({ granted_scopes: [SCOPE] });
      llm.script = once({ calls: [call(carefully(attempt), { n: 2 })] });
      const sessionId = await say(agentId);
      const answered = await approve(sessionId, agentId, attempt);
      return answered ?? refusalOf(agentId);
    },
  },
  "an approval of a call by itself": {
    recorded: "rest",
    before: { invalid: "tool_input_invalid" },
    async attempt(attempt) {
      const agentId = await agent({ granted_scopes: [SCOPE] });
      const session = attempt.spent ? await waiting(agentId, {}) : await newSession(agentId);
      const path = `/v1/capabilities/proof/tools/${carefully(attempt)}`;
      const asked = await server.call("POST", path, {
        input: { n: 2 },
        agent_id: agentId,
        session_id: session.id,
      });
      expect(asked.status).toBe(202);
      const answered = await approve(session.id, agentId, attempt);
      const { body } = await server.call("GET", `/v1/approvals/${asked.body.approval_id}`);
      return answered ?? body.result?.failure?.code;
    },
  },
};

const ROWS = Object.entries(PATHS).flatMap(([path, { isAlone }]) =>
  Object.entries(ATTEMPTS)
    .filter(([, { hasRead }]) => !(isAlone && hasRead))
    .map(([attempt]) => [path, attempt]),
);
const readBefore = (labels: object) =>
  `alter table sessions alter column labels set default '${JSON.stringify(labels)}'`;

describe("the gate", () => {
  test.each(ROWS)("%s: a call that is %s does not happen", async (pathName, attemptName) => {
    const path = PATHS[pathName] as Path;
    const attempt = ATTEMPTS[attemptName] as Attempt;
    const { pool } = server.services.database;
    await server.services.telemetry.flush();
    const { rows: before } = await pool.query("select coalesce(max(id), 0) as id from call_history");
    if (attempt.hasRead) await pool.query(readBefore({ untrusted: { tool: "a page", at: new Date(0) } }));
    const code = await path.attempt(attempt).finally(() => pool.query(readBefore({})));
    expect(ran).toEqual([]);
    expect(code).toBe(path.before?.[attemptName] ?? attempt.code);
    if (path.before?.[attemptName] !== undefined) return;
    await server.services.telemetry.flush();
    const { rows } = await pool.query(
      "select path, status, failure_class, call_id from call_history where id > $1 and status >= 400",
      [before[0].id],
    );
    const recorded = { path: path.recorded, status: FAILURES[attempt.code].status };
    expect(rows).toContainEqual(expect.objectContaining({ ...recorded, failure_class: "http_error" }));
    const { call_id } = rows.find((row) => row.call_id !== null && row.path === path.recorded) ?? {};
    const explained = await server.call("GET", `/v1/rules/explain/${call_id}`);
    expect(explained.body.decisions.at(-1)).toMatchObject({
      decision: "deny",
      rule_name: attempt.code === "rule_denied" ? expect.any(String) : null,
    });
  });

  test.each(Object.keys(PATHS))("%s: an allowed call happens, except in a replay", async (pathName) => {
    const { instead } = PATHS[pathName] as Path;
    expect(await PATHS[pathName]?.attempt({ tool: "act", n: 7, code: "internal" })).toBe(instead);
    if (instead === undefined) expect(ran).toContainEqual({ n: 7 });
    else expect(ran).toEqual([]);
  });
});

describe("a call that a rule asks about", () => {
  const FIT = Object.keys(PATHS).filter((name) => !name.startsWith("an approval"));

  test.each(FIT)("%s: nothing runs before somebody has said yes", async (pathName) => {
    const code = await PATHS[pathName]
      ?.attempt({ tool: "act", n: ASKED, code: "approval_required" })
      .catch(() => "waits"); // there is no result to read yet
    expect(ran).toEqual([]);
    const { body } = await server.call("GET", "/v1/approvals?status=pending&limit=1");
    expect(code ?? body.items[0]?.input).toEqual(code ?? { n: ASKED });
  });
});

describe("a budget of calls that is used up", () => {
  const usedUp = async (whose: object): Promise<string> => {
    const fields = { name: "calls", measure: "calls", period: "month", limit: 1, at_limit: "deny" };
    const made = await server.call("POST", "/v1/budgets", { ...fields, ...whose });
    expect(made.status).toBe(201);
    await server.call("POST", "/v1/capabilities/proof/tools/act", { input: { n: 7 } });
    ran.length = 0;
    return made.body.id;
  };

  test.each(Object.keys(PATHS))("%s: the call does not happen", async (pathName) => {
    // A trigger's capability is one of its own; elsewhere other calls of the user come before this one.
    const whose = pathName === "a trigger" ? { user: "local@localhost" } : { capability_id: "proof" };
    const id = await usedUp(whose);
    try {
      const code = await PATHS[pathName]?.attempt({ tool: "act", n: 7, code: "budget_used_up" });
      expect(code).toBe(PATHS[pathName]?.instead ?? "budget_used_up");
      expect(ran).toEqual([]);
    } finally {
      await server.call("DELETE", `/v1/budgets/${id}`);
    }
  });
});

describe("a call whose account is not connected", () => {
  /** A route calls the tool of its capability, and a call that waits for a yes is another tool. */
  const FIT = Object.keys(PATHS).filter((name) => !/route|approval/.test(name));
  const attempt = { tool: "connected", n: 7, code: NEEDED } as const;

  test.each(FIT)("%s: the call does not happen, and the user is asked or told", async (pathName) => {
    expect(await PATHS[pathName]?.attempt(attempt)).toBe(PATHS[pathName]?.instead ?? NEEDED);
    expect(ran).toEqual([]);
  });

  test.each(FIT)("%s: with the account it happens, except in a replay", async (pathName) => {
    const { body } = await server.call("POST", "/v1/connections", {
      provider: PROVIDER,
      key: "a-key-of-mia",
    });
    try {
      await PATHS[pathName]?.attempt(attempt);
      expect(ran).toEqual(PATHS[pathName]?.instead ? [] : expect.arrayContaining([{ n: 7 }]));
    } finally {
      await server.call("DELETE", `/v1/connections/${body.connection.id}`);
    }
  });
});

const call = (name: string, input: object) => ({ id: `call_${uuidv7()}`, name, input });
const asks = ({ tool, n, spent }: Attempt, times = 1): LlmReply => ({
  calls: Array.from({ length: times }, () => call(tool, { n })),
  ...(spent && { usage: SPENT }),
});
const once =
  (reply: LlmReply) =>
  (request: LlmRequest): LlmReply =>
    toolAnswered(request) ? { text: ["Done."] } : reply;

async function agent(more: object = {}): Promise<string> {
  const made = await server.call("POST", "/v1/agents", { name: "Prover", capabilities: ["proof"], ...more });
  expect(made.status).toBe(201);
  return made.body.id;
}

/** Only the tool that is meant is there to be chosen by a task. */
const deniedBut = (tool: string, wrong: object | undefined): Record<string, ToolPolicy> => ({
  ...Object.fromEntries(
    PROOF_TOOLS.filter(({ name }) => name !== tool).map(({ name }) => [name, "deny" as const]),
  ),
  ...(wrong as { tool_policies?: Record<string, ToolPolicy> } | undefined)?.tool_policies,
});

async function newSession(agentId: string): Promise<{ id: string }> {
  return (await server.call("POST", "/v1/sessions", { agent_id: agentId })).body;
}

/** Sends a message and waits until its run has ended, or waits. */
async function say(agentId: string, content = "go"): Promise<string> {
  const { id } = await newSession(agentId);
  await server.call("POST", `/v1/sessions/${id}/messages`, { content });
  await ended(id, 0);
  return id;
}

async function ended(sessionId: string, after: number): Promise<void> {
  for await (const { json } of server.services.runs.events(sessionId, after, AbortSignal.timeout(20_000)))
    if (json.some((text) => /^\{"type":"RUN_(FINISHED|ERROR)"/.test(text))) return;
}

/** A session whose run waits for its client and has used a thousand tokens; then the agent is changed to the forbidden form. */
async function waiting(agentId: string, wrong: object | undefined): Promise<{ id: string; runId: string }> {
  llm.script = once({ calls: [call("pick", {})], usage: SPENT });
  const id = await say(agentId);
  const [run] = await server.services.runs.runsOf(id);
  expect(run?.status).toBe("waiting");
  await server.call("PATCH", `/v1/agents/${agentId}`, wrong ?? {});
  return { id, runId: run?.id ?? "" };
}

function inALoop(times: number): Path["attempt"] {
  return async (attempt) => {
    const agentId = await agent(attempt.agent);
    llm.script = once(asks(attempt, times));
    await say(agentId);
    return refusalOf(agentId, times);
  };
}

/** The code in each result that the model got. */
async function refusalOf(agentId: string, times = 1): Promise<string | undefined> {
  const { rows } = await server.services.database.pool.query<{ code: string | null }>(
    `select part->'output'->'value'->>'code' as code from messages m join runs r on r.id = m.run_id,
       lateral json_array_elements(m.content::json) part
     where r.agent_id = $1 and m.role = 'tool' and part->>'toolName' <> 'search_tools'`,
    [agentId],
  );
  if (rows.length === 0 && (await waitsForAccount(agentId))) return NEEDED;
  expect(rows).toHaveLength(times);
  expect(new Set(rows.map(({ code }) => code)).size).toBe(1);
  return rows[0]?.code ?? undefined;
}

const waitsForAccount = async (agentId: string): Promise<boolean> =>
  (
    await server.services.database.pool.query(
      "select 1 from approvals where agent_id = $1 and kind = 'connect' and status = 'pending'",
      [agentId],
    )
  ).rows.length > 0;

const carefully = ({ tool }: Attempt): string => (tool === "guarded" ? "careful_guarded" : "careful");

/** Something changes while the question is pending; then a person approves with other arguments. */
async function approve(sessionId: string, agentId: string, attempt: Attempt): Promise<string | undefined> {
  const { body } = await server.call("GET", `/v1/approvals?status=pending&session_id=${sessionId}`);
  const [open] = body.items;
  await server.call("PATCH", `/v1/agents/${agentId}`, {
    granted_scopes: [],
    ...(attempt.agent && !attempt.spent && { tool_policies: { careful: "deny" } }),
    ...(attempt.spent && { limits: { max_tokens: 10 } }),
  });
  const after = await server.services.runs.lastSeq(sessionId);
  const answer = { decision: "approve", edited_args: { n: attempt.n } };
  const give = () => server.call("POST", `/v1/approvals/${open.id}`, answer);
  const first = await give();
  const answered = first.body.code === "approval_changed" ? await give() : first; // the agent has changed
  if (answered.status !== 200) {
    expect((await server.call("GET", `/v1/approvals/${open.id}`)).body.status).toBe("pending");
    return answered.body.code;
  }
  if (answered.body.run_id !== null) await ended(sessionId, after);
  return undefined;
}
