import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CodingAgentCapabilities, CodingAgentEvent, RunOptions } from "@capstan/core/internal";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { MANIFESTS } from "../built-in/manifests.ts";
import { type CommandResult, runCommand } from "../command/run-command.ts";
import { createDoctor } from "./doctor.ts";
import { isProbeClean, type ProbeRun, probeAgent } from "./probe-agent.ts";

/** Ways in which the stand-in below falls short of Claude Code. */
type Flaw = "joins text" | "ignores effort" | "forgets" | "no mcp" | "no image" | "no skills" | "breaks";

/**
 * Stands in for an agent: sends to the model what a real one would, and reports the results in events.
 * With a flaw it is an agent whose manifest claims too much.
 */
function standIn(flaws: readonly Flaw[] = []): ProbeRun {
  const memory = new Map<string, string[]>();
  const has = (flaw: Flaw) => flaws.includes(flaw);
  let serial = 0;
  return async function* (options: RunOptions): AsyncGenerator<CodingAgentEvent> {
    const from = options.sessionId ?? options.forkSessionId;
    const sessionId = options.sessionId ?? `session-${++serial}`;
    yield { type: "run-started", sessionId };
    if (has("breaks")) {
      yield { type: "run-ended", outcome: "failed", message: "it broke" };
      return;
    }
    const past = from && !has("forgets") ? (memory.get(from) ?? []) : [];
    const said = [...past, options.prompt];
    memory.set(sessionId, said);
    if (options.mcpServers && !has("no mcp")) await askMcpServer(options.mcpServers);
    yield* talk(options, await bodyFor(options, said, has), has("joins text"));
    yield { type: "run-ended", outcome: "done", sessionId };
  };
}

async function bodyFor(options: RunOptions, said: string[], has: (flaw: Flaw) => boolean) {
  const { thinkingEffort, thinkingBudgetTokens, skills = [], attachments = [], cwd = "" } = options;
  const agentsMd = await readFile(join(cwd, "AGENTS.md"), "utf8");
  const known = has("no skills")
    ? []
    : await Promise.all(skills.map((path) => readFile(join(path, "SKILL.md"), "utf8")));
  const images = has("no image") ? [] : attachments.map(() => ({ type: "image", source: {} }));
  return {
    model: options.model,
    stream: true,
    system: [agentsMd, ...known].join("\n"),
    messages: said.map((text) => ({ role: "user", content: [{ type: "text", text }, ...images] })),
    tools: [{ name: "Bash", input_schema: { properties: { command: { type: "string" } } } }],
    ...(!has("ignores effort") && { output_config: { effort: thinkingEffort } }),
    ...(thinkingBudgetTokens && { thinking: { type: "enabled", budget_tokens: thinkingBudgetTokens } }),
  };
}

async function* talk(
  { env }: RunOptions,
  body: { messages: object[] },
  joins: boolean,
): AsyncGenerator<CodingAgentEvent> {
  const send = (messages: object[]) =>
    fetch(`${env?.ANTHROPIC_BASE_URL}/v1/messages`, {
      method: "POST",
      body: JSON.stringify({ ...body, messages }),
    });
  const answer = await (await send(body.messages)).text();
  const deltas = [...answer.matchAll(/"type":"(text|thinking)_delta","(?:text|thinking)":"([^"]*)"/g)];
  const events = deltas.map(
    ([, kind, text = ""]): CodingAgentEvent => ({
      type: kind === "text" ? "text-delta" : "thinking-delta",
      text,
    }),
  );
  yield* joins ? events.slice(0, 1) : events;
  if (!answer.includes('"tool_use"')) return;
  yield { type: "tool-started", id: "t1", tool: "Bash", input: {} };
  yield { type: "tool-ended", id: "t1", output: "sim-tool-ok" };
  const result = {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "t1", content: "sim-tool-ok" }],
  };
  await (await send([...body.messages, result])).text();
}

async function askMcpServer(servers: NonNullable<RunOptions["mcpServers"]>): Promise<void> {
  for (const server of servers) {
    if (!("command" in server)) continue;
    const ask = (id: number, method: string) =>
      JSON.stringify({ jsonrpc: "2.0", id, method, params: { protocolVersion: "2025-11-25" } });
    await runCommand([server.command, ...(server.args ?? [])], {
      env: {},
      timeoutMs: 20_000,
      input: [ask(1, "initialize"), ask(2, "tools/list")],
      until: (line) => line.includes('"id":2'),
    });
  }
}

const declared = MANIFESTS.claude.capabilities;
const probe = (run: ProbeRun, changes: Partial<CodingAgentCapabilities> = {}) =>
  probeAgent({
    declared: { ...declared, ...changes },
    version: "2.1.325",
    run,
    now: () => new Date("2026-11-15T10:00:00Z"),
  });

describe("the probe", () => {
  test("an agent that does what it claims has no differences", async () => {
    const report = await probe(standIn());
    expect(report).toMatchObject({ agent: "claude", version: "2.1.325", differences: [], inconclusive: [] });
    expect(report?.observed).toEqual({
      supportsTextStreaming: true,
      supportsAgentsMd: true,
      supportsThinking: true,
      supportsThinkingStreaming: true,
      supportsThinkingBudgetTokens: true,
      supportsNativeTools: true,
      supportsMCP: true,
      canResume: true,
      canFork: true,
      supportsSkills: true,
      supportsImageInput: true,
    });
  });

  test.each<[Flaw, string[]]>([
    ["joins text", ["supportsTextStreaming", "supportsThinkingStreaming"]],
    ["ignores effort", ["supportsThinking"]],
    ["forgets", ["canFork", "canResume"]],
    ["no mcp", ["supportsMCP"]],
    ["no image", ["supportsImageInput"]],
    ["no skills", ["supportsSkills"]],
  ])("an agent that %s is detected", async (flaw, fields) => {
    const report = await probe(standIn([flaw]));
    expect(report?.differences.map(({ field }) => field).sort()).toEqual(fields);
  });

  test("an undeclared capability is found where no option is needed", async () => {
    const report = await probe(standIn(), { supportsAgentsMd: false });
    expect(report?.differences).toEqual([{ field: "supportsAgentsMd", declared: false, observed: true }]);
  });

  test("failing runs prove nothing: no difference, but a reason", async () => {
    const report = await probe(standIn(["breaks"]));
    expect(report).toMatchObject({ observed: {}, differences: [] });
    expect(report?.inconclusive[0]).toEqual({ scenario: "text", why: "the run ended as failed: it broke" });
  });

  test("an agent that cannot use another model server is not probed", async () => {
    expect(await probe(standIn(), { agent: "cursor" })).toBeNull();
  });

  test("leaves nothing behind", async () => {
    const left = async () => (await readdir(tmpdir())).filter((name) => name.startsWith("capstan-probe-"));
    const before = await left();
    await probe(standIn(["breaks"]));
    expect(await left()).toEqual(before);
  });
});

describe("the doctor", () => {
  let folder = "";
  let version = "2.1.325";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "capstan-doctor-"));
  });
  beforeEach(() => {
    version = "2.1.325";
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const doctor = (flaws: Flaw[] = []) =>
    createDoctor({
      manifests: [MANIFESTS.claude],
      folder,
      runAgent: standIn(flaws),
      now: () => new Date("2026-11-15T10:00:00Z"),
      run: async (): Promise<CommandResult> => ({
        outcome: "exited",
        code: 0,
        stdout: `${version} (Claude Code)`,
        stderr: "",
      }),
      env: {},
      home: "/nowhere",
      exists: async () => false,
    });

  test("stores its findings: another doctor on the same folder uses them", async () => {
    await (await doctor(["no mcp"])).probe("claude");
    const later = await doctor();
    expect(later.effective("claude")).toMatchObject({ supportsMCP: false, canFork: true });
    expect(await later.check("claude")).toMatchObject({
      installed: true,
      probe: { differences: [{ field: "supportsMCP", declared: true, observed: false }] },
    });
    expect(MANIFESTS.claude.capabilities.supportsMCP).toBe(true);
  });

  test("after an update the old report no longer counts, and is reported as stale", async () => {
    await (await doctor(["no mcp"])).probe("claude");
    version = "2.2.0";
    const later = await doctor();
    expect(await later.check("claude")).toMatchObject({
      staleProbe: { version: "2.1.325" },
      standing: "newer",
    });
    expect(later.effective("claude")?.supportsMCP).toBe(true);
  });

  test("a tampered report is ignored", async () => {
    await writeFile(join(folder, "claude.json"), '{"agent":"claude","observed":{"supportsMCP":"no"}}');
    expect((await doctor()).effective("claude")?.supportsMCP).toBe(true);
  });

  test("knows nothing about an agent without a manifest", async () => {
    const one = await doctor();
    expect(one.effective("acme")).toBeUndefined();
    await expect(one.check("acme")).rejects.toThrow("no manifest");
  });

  test("reports its progress", async () => {
    const steps: string[] = [];
    await (await doctor(["breaks"])).probe("claude", (step) => steps.push(step));
    expect(steps.filter((step) => !step.includes(" over "))).toEqual([
      "text",
      "thinking",
      "thinking budget",
      "tools",
      "MCP",
      "resume and fork",
      "skills",
      "image",
    ]);
    expect(steps).toContain("exact prompt over stream-json");
  });

  test("counts inconclusive results as open, not as a success", async () => {
    const report = await (await doctor(["breaks"])).probe("claude");
    expect(report?.features.find(({ feature }) => feature === "exact prompt")?.outcome).toBe("inconclusive");
    expect(report && isProbeClean(report)).toBe(false);
  });
});
