/** The task commands: route and run. */
import { defineCapability, defineTool, fail, ok } from "@capstan/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { typeCommand } from "../../../../tools/command-under-test.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const lamp = (id: string, works: boolean) =>
  defineCapability({
    id,
    name: works ? "Light Spare Lamp" : "Light Lamp",
    description: "Light the harbour lamp.",
    tools: [
      defineTool({
        name: works ? "spare" : "lamp",
        description: "Lights the lamp.",
        risk: "read", // only what changes nothing stands in for another capability
        input: z.object({}),
        run: async () =>
          works ? ok({ lit: true }) : fail("tool_failed", { message: "The bulb is broken." }),
      }),
    ],
    routing: { triggers: ["light the harbour lamp"], ...(!works && { actions: ["light"], tags: ["lamp"] }) },
  });

let server: TestServer;
beforeAll(async () => {
  const capabilities = [lamp("lamp.main", false), lamp("lamp.spare", true)];
  server = await testServer(await freshPglite(), {}, { config: { capabilities } });
});
afterAll(() => server.stop());

const capstan = (...args: string[]) => typeCommand(server.url, args);

test("route shows matches with reasons, the plan and near matches; nothing is executed", async () => {
  const { code, out } = await capstan("route", "create a business plan for an AI bookkeeping startup");
  expect(code).toBe(0);
  expect(out).toMatch(/^Intent company\.plan, confidence 0\.\d+/);
  expect(out).toMatch(/company\.plan +\d+\.\d\d\s+trigger:business plan/);
  expect(out).toContain("1. Execute Generate Company Plan for intent company.plan");
  expect(out).toContain('POST /api/company {"action":"generate-plan"');
});

test("route --json is one document with intent, matches, rejected and plan", async () => {
  const { out } = await capstan("route", "show local ai models available", "--json");
  expect(JSON.parse(out)).toMatchObject({
    intent: { label: "localai.models" },
    matches: expect.any(Array),
    rejected: expect.any(Array),
    plan: [{ capabilityId: "localai.models" }],
  });
});

test("run shows each step as it starts and ends, then the result", async () => {
  const { code, out, err } = await capstan("run", "light the harbour lamp");
  expect(err.split("\n").filter(Boolean)).toEqual([
    expect.stringMatching(/^lamp\.main \(confidence [\d.]+\), 2 steps$/),
    "1. Execute Light Lamp for intent lamp.main ...",
    expect.stringMatching(/^1\. lamp\.main: .*bulb is broken/),
    "2. Execute Light Spare Lamp for intent lamp.main ...",
    "2. lamp.spare: done",
  ]);
  expect(out).toMatch(/^lamp\.main: partial\n/);
  expect(out).toContain('"lit": true');
  expect(code).toBe(0);
});

test("run --json prints only the answer", async () => {
  const { out, err, code } = await capstan("run", "suggest a name for my bakery", "--json");
  expect([code, err]).toEqual([0, ""]);
  expect(JSON.parse(out)).toMatchObject({ intent: { label: "company.name" }, status: "ok" });
});

test("run with the same --key gives the same answer without working again", async () => {
  const first = await capstan("run", "suggest a name for my bakery", "--json", "--key", "cli-once");
  const second = await capstan("run", "suggest a name for my bakery", "--json", "--key", "cli-once");
  expect(second.out).toBe(first.out);
});

test("run exits with 1 when nothing could be done, and says what to do", async () => {
  const { code, out } = await capstan("run", "generate a video of a sunset over the sea");
  expect(code).toBe(1);
  expect(out).toMatch(/degraded[\s\S]*OPENAI_API_KEY/);
});

test("run names the session and the created files, and --session works on them again", async () => {
  const { out } = await capstan("run", "write a file notes.txt with hello");
  const id = /^session (\S+): \/notes\.txt$/m.exec(out)?.[1] ?? "";
  const { out: read } = await capstan("run", "read the file /notes.txt", "--session", id);
  expect(read).toContain('"content": "hello"');
});

test("run proposes what was guessed, and executes it with --yes", async () => {
  const proposed = await capstan("run", "keep a note about the tide in the local knowledge base");
  expect(proposed.code).toBe(1);
  expect(proposed.out).toMatch(/send the same request with `confirm`/);
  const { out, code } = await capstan(
    "run",
    "keep a note about the tide in the local knowledge base",
    "--yes",
  );
  expect([code, out]).toEqual([0, expect.stringMatching(/^localai\.ingest: ok/)]);
});

test.each(["run", "route"])("%s without a task shows its usage", async (command) => {
  const { code, err } = await capstan(command);
  expect(code).not.toBe(0);
  expect(err).toContain(`capstan ${command}`);
});
