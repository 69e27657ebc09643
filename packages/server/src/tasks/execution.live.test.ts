import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { capabilities, elsewheres, world } from "./fixtures/harbour.ts";

let llm: ScriptedLlm;
let server: TestServer;
let site: Server;
const hits: { method: string; url: string; body: string }[] = [];
beforeAll(async () => {
  llm = await scriptedLlm(() => ({ text: ["{}"] }));
  site = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    hits.push({ method: request.method ?? "", url: request.url ?? "", body });
    response.writeHead(world.main === "works" ? 200 : 503, { "content-type": "application/json" });
    response.end('{"at":"54.3 N"}');
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  const environment = { ...llmEnvironment(llm), CAPSTAN_ALLOW_HOSTS: host };
  const config = { capabilities: [...capabilities, ...elsewheres(`http://${host}`)] };
  server = await testServer(await freshPglite(), environment, { config });
});
afterAll(async () => {
  await server.stop();
  site.close();
  await llm.close();
});
beforeEach(async () => {
  Object.assign(world, { main: "works", calls: [], held: Promise.resolve() });
  hits.length = 0;
  await server.services.database.pool.query("delete from capability_breakers");
});

const execute = (body: object, headers: Record<string, string> = {}) =>
  server.call("POST", "/api/execute-task", body, headers);

describe("the secondary step and the status", () => {
  test.each([
    ["works", "ok", ["gauge_main"], false],
    ["main-broken", "partial", ["gauge_main", "gauge_spare"], true],
    ["all-broken", "degraded", ["gauge_main", "gauge_spare"], true],
  ])("when the primary %s the status is %s and %j are called", async (main, status, calls, fallbackUsed) => {
    world.main = main;
    const { body } = await execute({ task: "measure the tide gauge" });
    expect(body.plan.map(({ capabilityId }: { capabilityId: string }) => capabilityId)).toEqual([
      "gauge.main",
      "gauge.spare",
    ]);
    expect([body.status, world.calls]).toEqual([status, calls]);
    expect([body.diagnostics.degraded, body.diagnostics.fallbackUsed ?? false]).toEqual([
      status !== "ok",
      fallbackUsed,
    ]);
    const { body: telemetry } = await server.call("GET", "/api/execution-telemetry?limit=1");
    expect(telemetry.records[0]).toMatchObject({ fallbackUsed, step: fallbackUsed ? 2 : 1 });
  });

  test.each([
    ["main-broken", [{ capabilityId: "gauge.main", tool: "gauge_main", state: "open" }]],
    ["exits", undefined],
  ])(
    "a tool that often fails rests when it is down, not when its command ends with a code: %s",
    async (main, breakers) => {
      world.main = main;
      for (let at = 0; at < 6; at++) await execute({ task: "measure the tide gauge" });
      const { body } = await execute({ task: "measure the tide gauge", dryRun: true });
      if (breakers) expect(body.diagnostics.breakers).toMatchObject(breakers);
      else expect(body.diagnostics.breakers).toBeUndefined();
    },
  );

  test("an agent without a fitting capability gets no-match, with nothing planned and nothing called", async () => {
    const agent = await server.call("POST", "/v1/agents", { name: "Adder", capabilities: ["test_math"] });
    const { status, body } = await execute({
      task: "write a sonnet about the moon over Lisbon",
      agentId: agent.body.id,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "no-match",
      matchedCapabilities: [],
      plan: [],
      execution: { steps: [] },
      diagnostics: { degraded: false, failures: [] },
    });
  });

  test("an agent's own capability serves its task", async () => {
    const agent = await server.call("POST", "/v1/agents", { name: "Sums", capabilities: ["test_math"] });
    const { body } = await execute({ task: "add 3 and 4", agentId: agent.body.id });
    expect(body).toMatchObject({ status: "ok", execution: { steps: [{ data: { result: 7 } }] } });
  });

  test("a task for an unknown agent is refused, and nothing is stored", async () => {
    const agentId = crypto.randomUUID();
    expect((await execute({ task: "measure the tide gauge", agentId })).status).toBe(422);
    expect((await execute({ task: "measure the tide gauge", agentId, async: true })).status).toBe(422);
    expect(world.calls).toEqual([]);
  });
});

test("a route that the declaration does not allow is refused and reported, not called", async () => {
  const { body } = await execute({ task: "light the old lantern" });
  expect(body.diagnostics.failures[0]).toMatchObject({
    capabilityId: "lantern.elsewhere",
    code: "route_refused",
  });
  expect(body.status).not.toBe("ok");
  expect(world.calls).not.toContain("lantern");
});

describe("a route elsewhere, without a tool", () => {
  test("is called with the mapped payload, through the gate, and counted", async () => {
    const { body } = await execute({ task: "locate the buoy number 7" });
    expect(body).toMatchObject({
      status: "ok",
      plan: [{ route: expect.stringMatching(/\/buoys\/\{number\}$/), method: "GET" }],
      execution: { steps: [{ ok: true, data: { status: 200, body: { at: "54.3 N" } } }] },
    });
    expect(body.plan[0].payload).toEqual({ units: "metric", number: 7 });
    expect(hits).toEqual([{ method: "GET", url: "/buoys/7?units=metric", body: "" }]);
    const { body: telemetry } = await server.call("GET", "/api/execution-telemetry?limit=1");
    expect(telemetry.records[0]).toMatchObject({ capabilityId: "buoy.position", failureClass: "success" });
  });

  test("gets the task's text as its prompt when nothing else is declared", async () => {
    expect((await execute({ task: "order a pilot for the Aurora" })).body.status).toBe("ok");
    expect(hits.map(({ method, body }) => [method, JSON.parse(body)])).toEqual([
      ["POST", { prompt: "order a pilot for the Aurora" }],
    ]);
  });

  test("is retried if allowed, and its failure is in the answer", async () => {
    world.main = "broken";
    const { body } = await execute({ task: "locate the buoy number 7" });
    expect(body).toMatchObject({
      status: "degraded",
      execution: { steps: [{ ok: false, status: 503, data: { at: "54.3 N" }, attempts: 3 }] },
      diagnostics: { failures: [{ capabilityId: "buoy.position", code: "service_refused" }] },
    });
    expect(hits).toHaveLength(3);
    const { body: telemetry } = await server.call("GET", "/api/execution-telemetry?limit=2");
    expect(telemetry.records[0]).toMatchObject({ capabilityId: "buoy.position", status: 503, attempts: 3 });
    expect(telemetry.records[1]?.status).not.toBe(503);
  });

  test("is not called when a required input is missing, nor on a host that is not declared", async () => {
    expect((await execute({ task: "locate the buoy" })).body.plan[0].missing).toEqual(["number"]);
    const { body } = await execute({ task: "sound the foghorn" });
    expect(body.diagnostics.failures[0]).toMatchObject({
      capabilityId: "foghorn.other",
      code: "route_refused",
    });
    expect(hits).toEqual([]);
  });
});

test("one of our own routes is called by a capability without a tool, in the process and through the gate", async () => {
  const { body } = await execute({ task: "christen the new vessel" });
  expect(body).toMatchObject({
    status: "ok",
    plan: [{ capabilityId: "vessel.christen", route: "/api/company", method: "POST" }],
    execution: { steps: [{ ok: true, data: { company: { name: "Harbour Office" } } }] },
  });
  const listed = await server.call("GET", "/api/company");
  expect(JSON.stringify(listed.body)).toContain("Harbour Office");
});

test("internal capabilities, such as requesting access, never answer a task", async () => {
  const { body } = await execute({
    task: "ask a person to grant access to a hidden tool",
    dryRun: true,
    includeRejected: true,
  });
  const named = [
    ...body.matchedCapabilities.map((match: { capability: { id: string } }) => match.capability.id),
  ];
  expect([...named, ...body.diagnostics.rejected.map(({ id }: { id: string }) => id)]).not.toContain(
    "request_access",
  );
});

test("an idempotent tool is retried under the same idempotency key, and the answer is ok", async () => {
  const { body } = await execute({ task: "sound the depth" });
  expect(body).toMatchObject({ status: "ok", execution: { steps: [{ data: { metres: 12 } }] } });
  expect(world.calls).toHaveLength(3);
  expect(new Set(world.calls).size).toBe(1);
});

test("topK limits the matches", async () => {
  const { body } = await execute({ task: "measure the tide gauge", topK: 1, dryRun: true });
  expect(body.matchedCapabilities).toHaveLength(1);
});

test("timeoutMs ends a step that takes longer", async () => {
  world.held = new Promise(() => {});
  const { body } = await execute({ task: "raise the heavy anchor", timeoutMs: 50 });
  expect(body).toMatchObject({ status: "degraded", execution: { steps: [{ ok: false }] } });
});

test("context.userId selects the user whose scopes apply", async () => {
  await server.call("PUT", "/v1/users/ann@example.com", { scopes: ["Vault.Open"] });
  await server.call("PUT", "/v1/users/bob@example.com", { scopes: [] });
  const asUser = (userId: string) => execute({ task: "open the harbour vault", context: { userId } });
  expect((await asUser("ann@example.com")).body).toMatchObject({
    intent: { label: "vault.scoped" },
    status: "ok",
  });
  expect((await asUser("bob@example.com")).body.intent.label).not.toBe("vault.scoped");
});

describe("inputs that the rules cannot fill", () => {
  const task = "charter a boat with two masts";

  test("are requested from the configured model; what the task does not say is proposed, and executed when confirmed", async () => {
    llm.script = () => ({ text: ['{"rig":"ketch"}'] });
    const { body } = await execute({ task });
    expect(body).toMatchObject({
      status: "degraded",
      plan: [{ payload: { rig: "ketch" }, guessed: ["rig"] }],
      execution: { steps: [{ ok: false, skipped: true, error: { code: "task_unconfirmed" } }] },
    });
    expect(body.plan[0].missing).toBeUndefined();
    expect(body.diagnostics.notes).toContainEqual(expect.stringMatching(/^Step 1: rig from /));
    llm.script = () => ({ text: ['{"rig":"sloop"}'] });
    const { body: confirmed } = await execute({ task, confirm: body.proposal.confirm });
    expect(confirmed).toMatchObject({
      status: "ok",
      execution: { steps: [{ data: { chartered: "ketch" } }] },
    });
  });

  test("are used immediately when the task contains what the model read", async () => {
    llm.script = () => ({ text: ['{"rig":"ketch"}'] });
    const { body } = await execute({ task: "charter a boat, say a two-masted ketch-like one" });
    expect(body).toMatchObject({ status: "ok", execution: { steps: [{ data: { chartered: "ketch" } }] } });
  });

  test.each(['{"rig":"submarine"}', "{}", "no JSON", '{"other":"x"}'])(
    "stay missing when the model says %s",
    async (said) => {
      llm.script = () => ({ text: [said] });
      const { body } = await execute({ task });
      expect(body.plan[0]).toMatchObject({ missing: ["rig"] });
      expect(body.execution.steps[0]).toMatchObject({ ok: false, skipped: true });
    },
  );

  test("are not requested in a dry run", async () => {
    const before = llm.requests.length;
    expect((await execute({ task, dryRun: true })).body.plan[0].missing).toEqual(["rig"]);
    expect(llm.requests.length).toBe(before);
  });
});

describe("an async task", () => {
  test("is followed step by step, and polled meanwhile", async () => {
    world.held = new Promise((resolve) => {
      world.released = () => resolve();
    });
    const { status, body } = await execute({ task: "raise the heavy anchor", async: true });
    expect(status).toBe(202);
    const stream = await fetch(server.url + body.eventsUrl);
    const events = eventsOf(stream);
    expect((await events.next()).value).toMatchObject({ type: "planned", intent: { label: "anchor.slow" } });
    expect((await events.next()).value).toMatchObject({ type: "step-started", step: 1 });
    expect((await server.call("GET", body.statusUrl)).body).toMatchObject({
      status: "running",
      progress: { working: { step: 1, capabilityId: "anchor.slow" } },
    });
    world.released();
    expect((await events.next()).value).toMatchObject({ type: "step-ended", ok: true });
    expect((await events.next()).value).toMatchObject({ type: "done", response: { status: "ok" } });
    expect((await events.next()).done).toBe(true);
    expect((await server.call("GET", body.statusUrl)).body).toMatchObject({
      status: "done",
      response: { status: "ok" },
    });
  });

  test("that is a dry run calls nothing", async () => {
    const { body } = await execute({ task: "measure the tide gauge", async: true, dryRun: true });
    for await (const event of eventsOf(await fetch(server.url + body.eventsUrl)))
      if (event.type === "done")
        expect(event.response).toMatchObject({ execution: { dryRun: true, steps: [] } });
    expect(world.calls).toEqual([]);
  });

  test("that does not exist is not found", async () => {
    expect((await server.call("GET", `/api/tasks/${crypto.randomUUID()}/events`)).status).toBe(404);
  });
});

test("a route of the catalogue gives its tool the caller's key, so that the service behind it acts once", async () => {
  const ring = async (headers = {}) => (await server.call("POST", "/api/fog-bell", {}, headers)).body.key;
  const again = { "idempotency-key": "ring-1" };
  expect(await ring(again)).toBe(await ring(again));
  expect(await ring()).not.toBe(await ring());
  const empty = await server.call("POST", "/api/fog-bell", {}, { "idempotency-key": "k".repeat(300) });
  expect(empty).toMatchObject({ status: 422, body: { code: "input_invalid" } });
});

test("a caller that disconnects with a key still gets the one answer later", async () => {
  world.held = new Promise((resolve) => {
    world.released = () => resolve();
  });
  const gone = new AbortController();
  const headers = { "idempotency-key": crypto.randomUUID(), "content-type": "application/json" };
  const body = JSON.stringify({ task: "raise the heavy anchor" });
  const first = fetch(`${server.url}/api/execute-task`, {
    method: "POST",
    headers,
    body,
    signal: gone.signal,
  });
  await expect.poll(() => world.calls).toEqual(["anchor"]);
  gone.abort();
  await expect(first).rejects.toThrow();
  world.released();
  await expect
    .poll(async () => (await execute({ task: "raise the heavy anchor" }, headers)).body.status)
    .toBe("ok");
  expect(world.calls).toEqual(["anchor"]);
});

// biome-ignore lint/suspicious/noExplicitAny: a test reads the parts it names
async function* eventsOf(response: Response): AsyncGenerator<any> {
  let text = "";
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) if (block.startsWith("data: ")) yield JSON.parse(block.slice(6));
  }
}
