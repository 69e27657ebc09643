import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CapabilityError, type CodingAgentEvent, type RunOptions, runFaults } from "@capstan/core/internal";
import { describe, expect, onTestFinished, test } from "vitest";
import { createClient } from "../client.ts";
import { type StandIn, standIn } from "../fixtures/stand-in-adapter.ts";
import { privateFolder } from "./private-folder.ts";
import { straysOf } from "./process-group.ts";
import type { RunHandle } from "./run-handle.ts";
import type { RunnerSettings } from "./runner-settings.ts";

const FAST: Partial<RunnerSettings> = { interruptGraceMs: 400, terminateGraceMs: 400, exitGraceMs: 400 };

describe("a run", () => {
  test("emits its events in order, then its result, and leaves nothing behind", async () => {
    const run = start("talk 3");
    const events = await all(run);
    expect(events.map(({ type }) => type)).toEqual([
      "run-started",
      "text-delta",
      "text-delta",
      "text-delta",
      "run-ended",
    ]);
    expect(await run.result).toMatchObject({
      outcome: "done",
      text: "0 1 2 ",
      sessionId: "s1",
      toolCalls: 0,
    });
    expect(existsSync(privateFolder(run.id))).toBe(false);
    expect(await straysOf(run.id)).toEqual([]);
  });

  test.each([
    ["longer than a command line takes", "talk 1 ".padEnd(140_000, "é")],
    ["with a character that no command line takes", "talk 1\0"],
  ])("a prompt %s is refused before anything starts", async (_, prompt) => {
    const run = start(prompt);
    expect((await all(run)).map(({ type }) => type)).toEqual(["run-started", "run-ended"]);
    expect(await run.result).toMatchObject({
      outcome: "failed",
      code: "coding_agent_text_refused",
      nextStep: expect.stringContaining("another transport"),
    });
  });

  test.each([
    [
      "an exit without a terminal event is not a success",
      "quiet",
      {
        outcome: "failed",
        code: "coding_agent_protocol_broken",
        message: "Agent 'stand-in' ended without reporting how the run ended", // no line of its protocol
      },
    ],
    [
      "another exit code is a failure that quotes the last output",
      "crash 3",
      { outcome: "failed", message: expect.stringContaining("out of cheese") },
    ],
    [
      "a killed agent has failed, its pending tool closed",
      "die",
      { outcome: "failed", code: "coding_agent_killed", message: expect.stringContaining("SIGKILL") },
    ],
  ])("%s", async (_, prompt, expected) => {
    const run = start(prompt);
    expect(runFaults(await all(run))).toEqual([]);
    expect(await run.result).toMatchObject(expected);
  });

  test("a missing agent fails with how to install it", async () => {
    const client = createClient({ environment: { PATH: "/nowhere" } });
    const result = await client.run({ agent: "claude", prompt: "hi" }).result;
    expect(result).toMatchObject({
      outcome: "failed",
      code: "coding_agent_not_installed",
      nextStep: expect.stringContaining("npm install -g @anthropic-ai/claude-code"),
    });
  });

  test("unsupported options are refused before anything is spawned", () => {
    const client = clientWith({ capabilities: { supportsMCP: false } });
    const options = { agent: "stand-in", prompt: "talk 1", mcpServers: [{ name: "x", command: "x" }] };
    expect(() => client.run(options)).toThrow(CapabilityError);
    expect(() => client.run({ agent: "nobody", prompt: "hi" })).toThrow(/no coding agent 'nobody'/);
    expect(() => client.run({ agent: "claude", prompt: "hi", sessionId: "--yolo" })).toThrow(/not valid/);
  });

  test("a missing folder, and a cost limit that cannot be enforced, are refused in advance", () => {
    const client = clientWith({ capabilities: { reportsCost: false } });
    const asked = { agent: "stand-in", prompt: "talk 1" };
    expect(codeOf(() => client.run({ ...asked, cwd: "/nowhere/at/all" }))).toBe(
      "coding_agent_folder_missing",
    );
    expect(codeOf(() => client.run({ ...asked, maxCostUsd: 1 }))).toBe("coding_agent_budget_refused");
    expect(codeOf(() => client.run({ ...asked, transport: "pigeon" }))).toBe("transport_unknown");
  });

  test("the whole answer is in the result, however long it is", async () => {
    const { text } = await start("talk 300000").result;
    expect(text.length).toBeGreaterThan(1_900_000);
    expect(text).toMatch(/ 299999 $/);
  });

  test.each([
    ["talk 3", { outcome: "failed", code: "coding_agent_output_invalid" }],
    ["talk 1 ", { outcome: "done", json: 0 }],
  ])("asked for JSON, the answer of %j ends as %j", async (prompt, ending) => {
    const asked = { agent: "stand-in", prompt, outputFormat: "json" as const };
    const client = clientWith({ capabilities: { supportsJsonMode: true } });
    expect(await client.run(asked).result).toMatchObject(ending);
  });

  test("the environment contains what every process needs and what was requested, nothing else", async () => {
    const environment = { ...process.env, DATABASE_URL: "postgres://secret", ANTHROPIC_API_KEY: "sk" };
    const { text } = await start("environment", { env: { ASKED: "yes" } }, {}, environment).result;
    const names = text.split(" ");
    expect(names).toEqual(expect.arrayContaining(["ASKED", "CAPSTAN_RUN", "HOME", "NO_COLOR", "PATH"]));
    expect(names).not.toContain("DATABASE_URL");
    expect(names).not.toContain("ANTHROPIC_API_KEY");
  });

  test("a run in another user's home is not sent to this user's temporary folder", async () => {
    const client = clientWith({}, { ...process.env, TMPDIR: "/root/tmp" });
    const run = client.run({ agent: "stand-in", prompt: "environment" }, { home: "/home/other" });
    const names = (await run.result).text.split(" ");
    expect(names).toContain("HOME");
    expect(names).not.toContain("TMPDIR");
  });

  test("unstreamable kinds are reported once, and `stream: false` gives complete texts", async () => {
    const client = clientWith({ capabilities: { supportsTextStreaming: false } });
    const [, fallback] = await all(client.run({ agent: "stand-in", prompt: "talk 1", stream: "auto" }));
    expect(fallback).toEqual({ type: "stream_fallback", buffered: ["text", "tool-call"] });
    const whole = await all(start("talk 5", { stream: false }));
    expect(whole.filter(({ type }) => type === "text-delta")).toEqual([
      { type: "text-delta", text: "0 1 2 3 4 " },
    ]);
  });

  test("a reader who is slower than the agent loses nothing", async () => {
    const run = start("talk 20000");
    let words = 0;
    for await (const event of run) {
      if (event.type === "text-delta") words += 1;
      if (words % 1_000 === 0) await new Promise(setImmediate);
    }
    expect(words).toBe(20_000);
  });

  test("a run of which only the result is read does not wait for a reader", async () => {
    expect((await start("talk 5000").result).text).toMatch(/ 4999 $/);
  });

  test("a bug in an adapter is a warning, not the end", async () => {
    const adapter = standIn();
    const faulty = {
      ...adapter,
      open: (...given: Parameters<typeof adapter.open>) => {
        const plan = adapter.open(...given);
        const onLine = (line: string) => (line.includes('"0 "') ? raise() : plan.onLine(line));
        return { ...plan, onLine };
      },
    };
    const client = createClient();
    client.adapters.register(faulty);
    const result = await client.run({ agent: "stand-in", prompt: "talk 2" }).result;
    expect(result).toMatchObject({
      outcome: "done",
      text: "1 ",
      warnings: [expect.stringContaining("a fault")],
    });
  });

  test("if one transport does not start, the other is tried", async () => {
    const run = clientWith({ brokenFirst: true }).run({ agent: "stand-in", prompt: "talk 1" });
    expect(run.transport).toBe("first");
    expect(await run.result).toMatchObject({
      outcome: "done",
      text: "0 ",
      warnings: [expect.stringContaining("another way")],
    });
    expect(run.transport, "the one that ran").toBe("plain");
    await expect(run.send("more"), "of which the first was capable").rejects.toThrow("'plain'");
  });
});

describe("approvals", () => {
  test.each([
    ["yolo", "approve"],
    ["deny", "deny"],
  ] as const)("%s answers for the person", async (approvalMode, answer) => {
    const events = await all(start("ask", { approvalMode }, { talksBack: true }));
    expect(events.some(({ type }) => type === "approval-requested")).toBe(false);
    expect(events).toContainEqual(expect.objectContaining({ type: "tool-ended", output: answer }));
  });

  test("edited arguments are refused where they can reach neither the program nor the model", async () => {
    const capabilities = { supportsStdinInjection: false };
    const run = start("ask", { approvalMode: "prompt" }, { talksBack: true, capabilities });
    const refused: unknown[] = [];
    for await (const event of run) {
      if (event.type !== "approval-requested") continue;
      await run.approve(event.id, { other: true }).catch((error) => refused.push(error));
      await run.deny(event.id);
    }
    expect(refused).toEqual([expect.objectContaining({ capability: "approvalEdits" })]);
    expect(await run.result).toMatchObject({ outcome: "done", toolCalls: 1 });
  });

  test("prompt asks, and waits for the answer", async () => {
    const run = start("ask", { approvalMode: "prompt" }, { talksBack: true });
    for await (const event of run) if (event.type === "approval-requested") await run.approve(event.id);
    expect((await run.result).outcome).toBe("done");
    await expect(run.approve("q1")).rejects.toThrow(/cannot accept "approve"/);
  });
});

describe("limits", () => {
  test.each<[string, string, Partial<RunOptions>, object]>([
    ["turns", "turns 9", { maxTurns: 2 }, { outcome: "limit", limit: "turns" }],
    ["cost", "turns 9", { maxCostUsd: 0.025 }, { outcome: "limit", limit: "cost" }],
    [
      "cost, where the program knows no price and says 0",
      "turns 9 0",
      { maxCostUsd: 0.025 },
      { outcome: "failed", code: "coding_agent_budget_refused" },
    ],
    ["time", "polite", { timeoutMs: 700 }, { outcome: "limit", limit: "time" }],
  ])("stop a run that reaches its limit of %s", async (_, prompt, options, expected) => {
    const run = start(prompt, options);
    expect(runFaults(await all(run))).toEqual([]);
    expect(await run.result).toMatchObject(expected);
  });

  test("output beyond its limit ends the run", async () => {
    const run = start("flood 20", {}, {}, process.env, { ...FAST, maxOutputBytes: 2_000_000 });
    expect(await run.result).toMatchObject({ outcome: "limit", limit: "output" });
  });

  test("a line that is too long is dropped, and the run continues", async () => {
    const run = start("long 300000", {}, {}, process.env, { ...FAST, maxLineBytes: 100_000 });
    expect(await run.result).toMatchObject({
      outcome: "done",
      text: "after",
      warnings: [expect.stringContaining("was dropped")],
    });
  });
});

describe("stopping", () => {
  test("an interrupted agent ends by itself", async () => {
    const run = start("polite");
    for await (const event of run) if (event.type === "text-delta") await run.interrupt();
    expect(await run.result).toMatchObject({ outcome: "aborted", message: "Interrupted." });
  });

  test.each(["interrupt", "abort"] as const)(
    "%s ends one that ignores signals, with a child that left its group",
    async (how) => {
      const run = start("hang");
      for await (const event of run) if (event.type === "tool-started") await run[how]();
      expect((await run.result).outcome).toBe("aborted");
      expect(await straysOf(run.id)).toEqual([]);
    },
  );

  test("one that has finished but does not exit is ended, and keeps its outcome", async () => {
    expect(await start("stay").result).toMatchObject({ outcome: "done" });
  });

  test("processes left by a finished agent are ended", async () => {
    const run = start("stray");
    await run.result;
    expect(await straysOf(run.id)).toEqual([]);
  });

  test("agents die with their parent, even when it is killed", async () => {
    const parent = spawn(process.execPath, [
      fileURLToPath(new URL("../fixtures/doomed-parent.ts", import.meta.url)),
    ]);
    onTestFinished(() => void parent.kill("SIGKILL"));
    const runId = await new Promise<string>((resolve) =>
      parent.stdout.once("data", (data) => resolve(String(data).trim())),
    );
    expect((await straysOf(runId)).length).toBeGreaterThanOrEqual(2);
    parent.kill("SIGKILL");
    await expect.poll(() => straysOf(runId), { timeout: 15_000 }).toEqual([]);
  });
});

function clientWith(
  adapter: StandIn = {},
  environment: NodeJS.ProcessEnv = process.env,
  runner: Partial<RunnerSettings> = FAST,
) {
  const client = createClient({ environment, runner });
  client.adapters.register(standIn(adapter));
  return client;
}

function start(
  prompt: string,
  options: Partial<RunOptions> = {},
  adapter: StandIn = {},
  environment?: NodeJS.ProcessEnv,
  runner?: Partial<RunnerSettings>,
): RunHandle {
  return clientWith(adapter, environment, runner).run({ agent: "stand-in", prompt, ...options });
}

async function all(run: RunHandle): Promise<CodingAgentEvent[]> {
  const events: CodingAgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

function raise(): never {
  throw new Error("a fault");
}

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    return (error as { code?: string }).code;
  }
  return undefined;
}
