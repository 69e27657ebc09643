/**
 * The real programs with a simulated model on loopback, each run with its own home and only PATH in its environment.
 * Programs that are not in the cache are skipped, by name; `node tools/install-agents.ts` puts them there.
 */

import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { CodingAgentEvent, RunOptions } from "@capstan/core/internal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BuiltInAgentName } from "../built-in/built-in-agents.ts";
import { MANIFESTS } from "../built-in/manifests.ts";
import { isInCache, newHome } from "../fixtures/real-agent.ts";
import type { RunHandle } from "../runner/run-handle.ts";
import { SIM_ANSWER } from "../sim/sim-plan.ts";
import type { SimRequest } from "../sim/sim-request.ts";
import { type Sim, startSim } from "../sim/sim-server.ts";

interface RealAgent {
  readonly name: BuiltInAgentName;
  /** How high effort looks on the wire. */
  readonly thinks: (request: SimRequest) => unknown;
  readonly effort: object | string | number;
  readonly asks: boolean;
  /** A model whose tools are on the wire one by one; those Codex knows find MCP tools through a search. */
  readonly plainModel?: string;
}

const reasoningEffort = ({ wire }: SimRequest) => (wire.reasoning as { effort?: string } | undefined)?.effort;
const thinkingLevel = ({ body }: SimRequest) =>
  (body.generationConfig as { thinkingConfig?: { thinkingLevel?: string } } | undefined)?.thinkingConfig
    ?.thinkingLevel;

const AGENTS: readonly RealAgent[] = [
  { name: "claude", thinks: ({ wire }) => wire.output_config, effort: { effort: "high" }, asks: true },
  { name: "gemini", thinks: thinkingLevel, effort: "HIGH", asks: true },
  { name: "copilot", thinks: reasoningEffort, effort: "high", asks: true },
  {
    name: "codex",
    thinks: reasoningEffort,
    effort: "high",
    asks: true,
    plainModel: "gpt-5-codex",
  },
  { name: "opencode", thinks: reasoningEffort, effort: "high", asks: true },
  { name: "pi", thinks: reasoningEffort, effort: "high", asks: false },
];

let sim: Sim;
beforeAll(async () => {
  sim = await startSim({ dripMs: 100 });
});
afterAll(() => sim.close());

describe.each(AGENTS)("$name", ({ name, thinks, effort, asks, plainModel }) => {
  const isInstalled = isInCache(name);
  const { canFork } = MANIFESTS[name].capabilities;
  const real = test.skipIf(!isInstalled);

  real("reports its version", async () => {
    const { client } = newHome(name, sim);
    const { testedVersions } = MANIFESTS[name];
    expect(await client.adapters.detect(name)).toMatchObject({
      installed: true,
      version: testedVersions?.to,
    });
  });

  real("answers, and its session can be listed, read and resumed", async () => {
    const home = newHome(name, sim);
    const { result } = await home.run({ prompt: "hello [[text]]" });
    expect(result).toMatchObject({ outcome: "done", text: SIM_ANSWER, sessionId: expect.any(String) });
    const sessionId = result.sessionId ?? "";
    const stored = await home.client.sessions.list(name, home.cwd);
    expect(stored.map(({ id }) => id)).toContain(sessionId);
    const messages = await home.client.sessions.read(name, sessionId);
    expect(messages.ok && messages.value.map(({ text }) => text).join("\n")).toMatch(
      /hello[\s\S]*The sim answer is 42/,
    );
    const resumed = await home.run({ prompt: "again [[text]]", sessionId });
    expect(resumed.result).toMatchObject({ outcome: "done", text: SIM_ANSWER, sessionId });
    expect(lastPrompt()).toMatch(/hello[\s\S]*again/);
  });

  test.skipIf(!isInstalled || !canFork)("forks a session into another", async () => {
    const home = newHome(name, sim);
    const { result } = await home.run({ prompt: "root [[text]]" });
    const forked = await home.run({ prompt: "branch [[text]]", forkSessionId: result.sessionId ?? "" });
    expect(forked.result).toMatchObject({ outcome: "done", text: SIM_ANSWER });
    expect(forked.result.sessionId).not.toBe(result.sessionId);
    expect(lastPrompt()).toMatch(/root[\s\S]*branch/);
  });

  real("uses a tool", async () => {
    const { events, result } = await newHome(name, sim).run({ prompt: "[[tool]]", approvalMode: "yolo" });
    expect(result).toMatchObject({ outcome: "done", toolCalls: 1 });
    expect(events).toContainEqual(
      expect.objectContaining({ type: "tool-started", input: expect.anything() }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "tool-ended",
        isError: false,
        output: expect.stringContaining("sim-tool-ok"),
      }),
    );
  });

  real("uses the requested thinking effort on the wire, and emits its thoughts", async () => {
    const { events, result } = await newHome(name, sim).run({
      prompt: "[[think]]",
      thinkingEffort: "high",
      stream: "auto",
    });
    expect(result.outcome).toBe("done");
    expect(sim.requests.filter(({ tools }) => tools.length > 0).map(thinks)).toEqual([effort]);
    const thoughts = events.map((event) => (event.type === "thinking-delta" ? event.text : "")).join("");
    // Gemini trims each piece.
    expect(thoughts.replaceAll(/\s+/g, "")).toContain("thinkaboutthesimquestionstepbystep");
  });

  real("does not write when denied", async () => {
    const home = newHome(name, sim);
    const { events, result } = await home.run({ prompt: "[[write]]", approvalMode: "deny" });
    expect(result.outcome).toBe("done");
    expect(existsSync(join(home.cwd, "sim-made.txt"))).toBe(false);
    // Pi has no permissions: its tools are taken away instead.
    if (asks) expect(events).toContainEqual(expect.objectContaining({ type: "tool-ended", denied: true }));
  });

  test.skipIf(!isInstalled || !asks).each([
    ["writes once a person approved", true],
    ["does not once a person refused", false],
  ])("requires approval, and %s", async (_, yes) => {
    const home = newHome(name, sim);
    const answer = (run: RunHandle, event: CodingAgentEvent) =>
      event.type !== "approval-requested"
        ? undefined
        : yes
          ? run.approve(event.id)
          : run.deny(event.id, "not today");
    const { events, result } = await home.run({ prompt: "[[write]]", approvalMode: "prompt" }, answer);
    expect(events.filter(({ type }) => type === "approval-requested")).toHaveLength(1);
    expect(result.outcome).toBe("done");
    expect(existsSync(join(home.cwd, "sim-made.txt"))).toBe(yes);
  });

  real("fails with the provider's 401", async () => {
    const { result } = await newHome(name, sim).run({ prompt: "[[err401]]" });
    expect(result).toMatchObject({ outcome: "failed", message: expect.stringMatching(/401|key|auth/i) });
  });

  real("stops when interrupted", async () => {
    // OpenCode's `run` tells text only when it is whole, so it is asked to stream.
    const asked: Partial<RunOptions> = { prompt: "[[slow]]", stream: "auto" };
    const stop = (run: RunHandle, event: CodingAgentEvent) =>
      event.type === "text-delta" ? run.interrupt() : undefined;
    const { result } = await newHome(name, sim).run(asked, stop);
    expect(result.outcome).toBe("aborted");
  });

  test.skipIf(!isInstalled || !MANIFESTS[name].capabilities.supportsMCP)(
    "sees only the tools of its MCP servers when its own are disabled",
    async () => {
      const server = { name: "everything", command: process.execPath, args: [EVERYTHING, "stdio"] };
      const asked = {
        prompt: "[[text]]",
        approvalMode: "yolo" as const,
        systemPrompt: "MARK-OF-INSTRUCTIONS",
        mcpServers: [server],
        ...(plainModel !== undefined && { model: plainModel }),
      };
      const { result } = await newHome(name, sim).run(asked, undefined, "off");
      expect(result.outcome).toBe("done");
      const [request] = sim.requests.filter(({ tools }) => tools.length > 0);
      const tools = request?.tools.map((tool) => tool.name) ?? [];
      expect(tools.some((tool) => /echo$/.test(tool))).toBe(true);
      expect(tools.filter((tool) => NATIVE.test(tool))).toEqual([]);
      expect(JSON.stringify(request?.body)).toContain("MARK-OF-INSTRUCTIONS");
    },
  );
});

const EVERYTHING = realpathSync(
  join(import.meta.dirname, "../../../../node_modules/.bin/mcp-server-everything"),
);
/** Their names of tools that read, write, run or fetch. */
const NATIVE =
  /^(Bash|bash|exec|exec_command|write_stdin|shell|run_shell_command|Read|read|read_file|view|Write|write|write_file|Edit|edit|replace|apply_patch|grep|grep_search|glob|rg|webfetch|web_fetch|WebFetch|task|Agent|spawn_agent)$/;

const lastPrompt = () =>
  JSON.stringify(sim.requests.filter(({ tools }) => tools.length > 0).at(-1)?.body ?? {});
