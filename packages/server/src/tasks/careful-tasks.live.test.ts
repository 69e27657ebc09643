/** Guesses cause no side effects; sessions and approvals for tasks; several requests in one task. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { defineCapability, defineTool, fail, ok } from "@capstan/core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const calls: unknown[] = [];

const lighthouse = defineCapability({
  id: "lighthouse.demolish",
  name: "Demolish Lighthouse",
  description: "Tear down a lighthouse for good.",
  tools: [
    defineTool({
      name: "demolish",
      description: "Tears down a lighthouse.",
      policy: "approve",
      risk: "irreversible",
      input: z.object({ name: z.string() }),
      run: (input) => {
        calls.push(input);
        return ok({ gone: input.name });
      },
    }),
  ],
  routing: { triggers: ["demolish the lighthouse"] },
});

/** Needs a session only with a file, so it does not require one. */
const harbour = defineCapability({
  id: "harbour.log",
  name: "Harbour Log",
  description: "Read a harbour log.",
  tools: [
    defineTool({
      name: "read_harbour_log",
      description: "Reads a harbour log.",
      risk: "read",
      input: z.object({ file: z.string().optional().describe("Path of the log file.") }),
      run: ({ file }, { fileStore }) =>
        fileStore ? ok({ file: file ?? "" }) : fail("session_required", { tool: "read_harbour_log" }),
    }),
  ],
  routing: { triggers: ["read the harbour log"] },
});

describe.each(STORES)("careful tasks on $name", ({ fresh }) => {
  let server: TestServer;
  let site: Server;
  let receiver: string;
  beforeAll(async () => {
    site = createServer((_, response) => {
      response.statusCode = 500;
      response.end();
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
    receiver = `http://${host}/hook`;
    server = await testServer(
      await fresh(),
      { CAPSTAN_ALLOW_HOSTS: host },
      { config: { capabilities: [lighthouse, harbour] } },
    );
  });
  afterAll(async () => {
    await server.stop();
    site.close();
  });
  beforeEach(() => {
    calls.length = 0;
  });

  const execute = (body: object) => server.call("POST", "/api/execute-task", body);
  const companies = async () => (await server.call("GET", "/api/company")).body;

  test("a value of the task that the call has no place for is asked about, however certain the tool is", async () => {
    const { body } = await execute({ task: 'demolish the lighthouse "Eddystone" on 2027-01-05' });
    expect(body).toMatchObject({ status: "degraded", plan: [{ unplaced: ["2027-01-05"] }] });
    expect(body.proposal.why.join()).toContain("2027-01-05");
    expect(calls).toEqual([]);
  });

  test("a user called bob is not a company", async () => {
    const before = JSON.stringify(await companies());
    const { body } = await execute({ task: "create a user called bob" });
    expect(["no-match", "degraded"]).toContain(body.status);
    expect(body.execution.steps.filter(({ skipped }: { skipped?: true }) => !skipped)).toEqual([]);
    expect(JSON.stringify(await companies())).toBe(before);
  });

  test("gibberish matches nothing", async () => {
    const { body } = await execute({ task: "blorp fnord wibble" });
    expect(body).toMatchObject({ status: "no-match", plan: [], matchedCapabilities: [] });
  });

  test("a confirmation counts only for its own task and user", async () => {
    const { status, body } = await execute({ task: "what is 2 plus 3", confirm: crypto.randomUUID() });
    expect(status).toBe(200);
    expect(body.execution.steps).toEqual([]);
    expect(body.diagnostics.failures).toMatchObject([{ code: "not_found" }]);
  });

  test("a tool that works on files gets a new session, and the answer lists its files", async () => {
    const { body } = await execute({ task: "write a file notes.txt with hello" });
    expect(body).toMatchObject({ status: "ok", session: { id: expect.any(String), files: ["/notes.txt"] } });
    expect(body.diagnostics.notes).toContainEqual(
      expect.stringContaining(`a new session, ${body.session.id}`),
    );
    const { id } = body.session;
    const again = await execute({ task: "read the file /notes.txt", sessionId: id });
    expect(again.body).toMatchObject({
      status: "ok",
      execution: { steps: [{ data: { content: "hello" } }] },
    });
  });

  test("a tool that finds out that it needs a session gets a new one", async () => {
    const { body } = await execute({ task: "read the harbour log june.log" });
    expect(body).toMatchObject({
      status: "ok",
      session: { id: expect.any(String) },
      execution: { steps: [{ ok: true, data: { file: "june.log" } }] },
    });
  });

  test("an unknown session is refused before anything is stored", async () => {
    const { status } = await execute({ task: "read the file /notes.txt", sessionId: crypto.randomUUID() });
    expect(status).toBe(422);
  });

  test("a tool that requires approval returns the approval's id, and is called once approved", async () => {
    const { body } = await execute({ task: "demolish the lighthouse called Alexandria" });
    const [step] = body.execution.steps;
    expect(step).toMatchObject({ ok: false, skipped: true, error: { code: "approval_needed" } });
    expect(calls).toEqual([]);
    await server.call("POST", `/v1/approvals/${step.approvalId}`, { decision: "approve" });
    expect(calls).toEqual([{ name: "Alexandria" }]);
  });

  test("a waiting task continues when it is answered", async () => {
    const task = "demolish the lighthouse called Eddystone";
    const started = execute({ task, wait: true });
    const pending = await pendingApproval("Eddystone");
    await server.call("POST", `/v1/approvals/${pending}`, { decision: "approve" });
    expect((await started).body).toMatchObject({
      status: "ok",
      execution: { steps: [{ ok: true, data: { gone: "Eddystone" }, approvalId: pending }] },
    });
  });

  test("a denied step is a failed step", async () => {
    const started = execute({ task: "demolish the lighthouse called Skerryvore", wait: true });
    const pending = await pendingApproval("Skerryvore");
    await server.call("POST", `/v1/approvals/${pending}`, { decision: "deny" });
    expect((await started).body).toMatchObject({
      status: "degraded",
      execution: { steps: [{ ok: false, error: { code: "tool_denied" } }] },
    });
    expect(calls).toEqual([]);
  });

  test("several requests in one task are done one after the other", async () => {
    const { body } = await execute({ task: "add 2 and 40 and tell me the time in Paris" });
    expect(body).toMatchObject({
      status: "ok",
      plan: [
        { step: 1, capabilityId: "test_math", part: "add 2 and 40" },
        { step: 2, capabilityId: "current_time", payload: { timezone: "Europe/Paris" } },
      ],
      execution: { steps: [{ ok: true, data: { result: 42 } }, { ok: true }] },
    });
  });

  test("a record that one step answers is what the next one writes", async () => {
    const { body } = await execute({ task: "get the weather in Rome, then write it to rome.txt" });
    expect(body).toMatchObject({ status: "ok", session: { files: ["/rome.txt"] } });
    const { body: read } = await execute({ task: "read the file /rome.txt", sessionId: body.session.id });
    expect(JSON.parse(read.execution.steps[0].data.content)).toMatchObject({ city: "Rome" });
  });

  test.each([
    ["will it rain in Lisbon over the next 3 days?", "get_forecast", { city: "Lisbon", days: 3 }],
    [
      "save the text 'buy milk' to shopping/list.md",
      "write_file",
      { path: "shopping/list.md", content: "buy milk" },
    ],
    ["search my files for the word invoice", "grep_files", { pattern: "invoice" }],
    ["set up a company named Brightwater", "company_create", { name: "Brightwater" }],
    ["Wie spät ist es in Tokio?", "get_current_time", { timezone: "Asia/Tokyo" }],
    ["Wie wird das Wetter morgen in Hamburg?", "get_forecast", { city: "Hamburg" }],
    ["¿Cuánto es 12 por 9?", "multiply", { a: 12, b: 9 }],
    ["Divida 90 por 6", "divide", { a: 90, b: 6 }],
    [
      "Écris un fichier todo.txt avec acheter du pain",
      "write_file",
      { path: "todo.txt", content: "acheter du pain" },
    ],
    ["東京の天気を教えてください", "get_weather", { city: "Tokyo" }],
    ["12かける9はいくつですか", "multiply", { a: 12, b: 9 }],
    ["现在伦敦几点了？", "get_current_time", { timezone: "Europe/London" }],
  ])("%j calls %s with what it says", async (task, tool, payload) => {
    const { body } = await execute({ task, dryRun: true });
    expect(body.plan[0]).toMatchObject({ tool, payload });
  });

  test("the time of an unknown place is asked for, and not answered for another", async () => {
    const { body } = await execute({ task: "what time is it in Gotham" });
    expect(body).toMatchObject({ status: "degraded", plan: [{ missing: ["timezone"] }] });
  });

  test("what was not done is reported", async () => {
    const { body } = await execute({ task: "What is 3 times 4? Order more printer paper." });
    expect(body).toMatchObject({
      status: "partial",
      diagnostics: { unserved: [expect.stringMatching(/printer paper/)] },
    });
  });

  test("an undelivered webhook is not ok", async () => {
    const { body } = await execute({ task: `send a webhook event deploy.done to ${receiver}` });
    const done = body.proposal
      ? await execute({
          task: `send a webhook event deploy.done to ${receiver}`,
          confirm: body.proposal.confirm,
        })
      : { body };
    expect(done.body).toMatchObject({
      status: "degraded",
      diagnostics: { failures: [{ code: "webhook_undelivered" }] },
    });
  });

  async function pendingApproval(name: string): Promise<string> {
    for (;;) {
      const { body } = await server.call("GET", "/v1/approvals?status=pending");
      const found = body.items.find((each: object) => JSON.stringify(each).includes(name));
      if (found) return found.id;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
});
