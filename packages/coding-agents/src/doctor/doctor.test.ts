import { validateRun } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import { BUILT_IN_AGENT_NAMES } from "../built-in/built-in-agents.ts";
import { MANIFESTS } from "../built-in/manifests.ts";
import type { CommandResult } from "../command/run-command.ts";
import { checkAgent } from "./check-agent.ts";
import { compareVersions } from "./compare-versions.ts";
import { effectiveCapabilities } from "./effective.ts";
import { differencesOf } from "./probe-agent.ts";

describe("check", () => {
  const NONE: CommandResult = { outcome: "not_found", code: null, stdout: "", stderr: "" };
  const says = (stdout: string, code = 0): CommandResult => ({ outcome: "exited", code, stdout, stderr: "" });

  function machine(
    commands: Record<string, CommandResult>,
    env: Record<string, string> = {},
    files: string[] = [],
  ) {
    return {
      run: async ([name = ""]: readonly string[]) => commands[name] ?? NONE,
      env,
      home: "/home/ada",
      exists: async (path: string) => files.includes(path),
    };
  }

  test("an agent that prints its version is installed", async () => {
    const check = await checkAgent(MANIFESTS.claude, machine({ claude: says("2.1.325 (Claude Code)\n") }));
    expect(check).toMatchObject({
      installed: true,
      version: "2.1.325",
      standing: "tested",
      command: "claude",
    });
  });

  test("a stub is not an install, and its output is shown", async () => {
    const stub = says("Error: claude native binary not installed. Run `node install.cjs`.\n", 1);
    const check = await checkAgent(MANIFESTS.claude, machine({ claude: stub }));
    expect(check).toMatchObject({
      installed: false,
      problem: expect.stringContaining("native binary not installed"),
      nextStep: "Install it: npm install -g @anthropic-ai/claude-code",
    });
  });

  test("an absent command is reported, with how to install it", async () => {
    const check = await checkAgent(MANIFESTS.pi, machine({}));
    expect(check).toMatchObject({ installed: false, problem: 'There is no command "pi".' });
    expect(check.nextStep).toContain("@earendil-works/pi-coding-agent");
  });

  test("another program with the same name does not count, an older name does", async () => {
    const others = { agent: says("agent 0.4.2\n"), "cursor-agent": says("2026.11.03-a84f3c2\n") };
    expect(await checkAgent(MANIFESTS.cursor, machine(others))).toMatchObject({
      command: "cursor-agent",
      version: "2026.11.03-a84f3c2",
      standing: "untested",
    });
  });

  test.each([
    ["2.1.300", "older"],
    ["2.1.325", "tested"],
    ["2.1.325-beta.1", "older"],
    ["2.2.0", "newer"],
  ])("version %s is %s", async (version, standing) => {
    const check = await checkAgent(MANIFESTS.claude, machine({ claude: says(`${version} (Claude Code)`) }));
    expect(check.standing).toBe(standing);
  });

  test("a login is a variable that is set or a file that exists, by name and never by content", async () => {
    const env = { ANTHROPIC_API_KEY: "sk-very-secret", OTHER: "x" };
    const effects = machine({ claude: says("2.1.325 (Claude Code)") }, env, [
      "/home/ada/.claude/.credentials.json",
    ]);
    const check = await checkAgent(MANIFESTS.claude, effects);
    expect(check.login).toEqual({ found: true, by: ["ANTHROPIC_API_KEY", "~/.claude/.credentials.json"] });
    expect(JSON.stringify(check)).not.toContain("secret");
  });

  test("without a login the next step is to log in", async () => {
    const check = await checkAgent(
      MANIFESTS.codex,
      machine({ codex: says("codex-cli 0.166.0") }, { OPENAI_API_KEY: "" }),
    );
    expect(check.login.found).toBe(false);
    expect(check.nextStep).toMatch(/log in.*OPENAI_API_KEY/);
  });
});

describe("versions", () => {
  test.each([
    ["2.1.9", "2.1.10", -1],
    ["2026.9.6", "2026.11.1", -1],
    ["1.0", "1.0.0", 0],
    ["1.2.3-beta", "1.2.3", -1],
    ["1.2.3-beta.2", "1.2.3-beta.10", -1],
    ["2026.11.03-a84f3c2", "2026.11.03", 0],
    ["18.3.4", "18.2.3", 1],
  ])("%s against %s is %i", (a, b, order) => {
    expect(compareVersions(a, b)).toBe(order);
  });
});

describe("effective", () => {
  const declared = MANIFESTS.claude.capabilities;

  test("observed values override declared ones, which stay unchanged", () => {
    const effective = effectiveCapabilities(declared, { supportsMCP: false, canFork: true });
    expect(effective).toMatchObject({ supportsMCP: false, canFork: true, observed: { supportsMCP: false } });
    expect(declared.supportsMCP).toBe(true);
    expect(Object.isFrozen(effective)).toBe(true);
  });

  test("an agent observed not to think has no levels and no budget", () => {
    expect(effectiveCapabilities(declared, { supportsThinking: false })).toMatchObject({
      thinkingEffortLevels: [],
      supportsThinkingBudgetTokens: false,
    });
  });

  test("decides which runs may start", () => {
    const run = { agent: "claude", prompt: "hi", mcpServers: [{ name: "m", command: "m" }] };
    expect(validateRun(run, declared, null).ok).toBe(true);
    expect(validateRun(run, effectiveCapabilities(declared, { supportsMCP: false }), null)).toMatchObject({
      failure: { code: "CAPABILITY_ERROR", details: { capability: "mcp" } },
    });
  });

  test.each(BUILT_IN_AGENT_NAMES)("without a probe %s is what it declares", (name) => {
    const { observed, ...rest } = effectiveCapabilities(MANIFESTS[name].capabilities);
    expect(observed).toEqual({});
    expect(rest).toEqual(MANIFESTS[name].capabilities);
  });

  test("a difference names the field, the declared and the observed value", () => {
    expect(differencesOf(declared, { supportsMCP: false, canResume: true })).toEqual([
      { field: "supportsMCP", declared: true, observed: false },
    ]);
  });
});
