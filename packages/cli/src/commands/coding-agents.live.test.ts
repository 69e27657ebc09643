/** The coding agent commands. No server is needed; the agent is a script that prints a recording. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CodingAgentEvent } from "@capstan/core/internal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { typeCommand } from "../../../../tools/command-under-test.ts";

const recording = (name: string) =>
  fileURLToPath(new URL(`../../../coding-agents/src/fixtures/transcripts/${name}.jsonl`, import.meta.url));

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "capstan-cli-agents-"));
  mkdirSync(join(home, "bin"));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A `claude` that prints a recording and waits until it is released. */
function install(name: string): void {
  const path = join(home, "bin", "claude");
  const script = `#!/bin/sh\n[ "$1" = --version ] && { echo "2.1.325 (Claude Code)"; exit; }\ncat '${recording(name)}'\nexec cat >/dev/null\n`;
  writeFileSync(path, script);
  chmodSync(path, 0o755);
}

const capstan = (args: readonly string[], answers?: readonly string[]) =>
  typeCommand("http://127.0.0.1:1", args, {
    environment: { PATH: `${join(home, "bin")}:/usr/bin:/bin`, HOME: home },
    ...(answers && { answers }),
  });
const events = (out: string) =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as CodingAgentEvent);

describe("capstan coding-agents replay", () => {
  test("prints one event per line, the start first and the end last", async () => {
    const { code, out } = await capstan([
      "coding-agents",
      "replay",
      "claude",
      recording("claude-tool"),
      "--json",
    ]);
    const told = events(out);
    expect(code).toBe(0);
    expect(told[0]).toMatchObject({ type: "run-started" });
    expect(told).toContainEqual(
      expect.objectContaining({ type: "tool-started", tool: "Bash", input: { command: "echo sim-tool-ok" } }),
    );
    expect(told.at(-1)).toMatchObject({ type: "run-ended", outcome: "done" });
  });

  test.each([
    ["claude", "claude-err401", "failed"],
    ["claude", "claude-maxturns", "limit"],
    ["gemini", "gemini-sigint", "aborted"],
    ["pi", "pi-rpc", "aborted"],
    ["codex", "codex-appserver", "aborted"],
  ])("exits with 0 whatever the outcome: %s, %s is %s", async (agent, name, outcome) => {
    const { code, out } = await capstan(["coding-agents", "replay", agent, recording(name), "--json"]);
    expect([code, events(out).at(-1)]).toMatchObject([0, { outcome }]);
  });

  test.each<[string, string[], string]>([
    ["a file that cannot be read", ["claude", "/no/such/file.jsonl"], "Usage: capstan coding-agents"],
    ["a file that is not named", ["claude"], "Usage: capstan coding-agents"],
    ["an unknown agent", ["clod", "/no/such/file.jsonl"], "Use one of claude, codex"],
    ["a name inherited by every object", ["toString", "/no/such/file.jsonl"], "Use one of claude, codex"],
  ])("exits with another code for %s, and says what to do", async (_, args, nextStep) => {
    const { code, err } = await capstan(["coding-agents", "replay", ...args]);
    expect(code).not.toBe(0);
    expect(err).toContain(nextStep);
  });
});

describe("capstan coding-agents", () => {
  test("is the matrix, with the eleven columns and ten rows", async () => {
    const rows = JSON.parse((await capstan(["coding-agents", "--json"])).out);
    expect(rows).toHaveLength(10);
    expect(Object.keys(rows[0])).toEqual([
      ...[
        "Adapter",
        "CLI",
        "Session",
        "Stream",
        "Fork",
        "Thinking",
        "MCP",
        "Skills",
        "Plugins",
        "ACP",
        "Platforms",
      ],
    ]);
    expect((await capstan(["coding-agents"])).out).toMatch(/Claude Code +claude +JSONL/);
  });

  test("plugins refuses a word that it does not know, instead of listing them", async () => {
    const { code, err } = await capstan(["coding-agents", "plugins", "claude", "instal", "x"]);
    expect([code, err]).toEqual([1, expect.stringMatching(/"instal"; use one of list, search, install/)]);
  });

  test("install prints the command, and runs nothing without confirmation", async () => {
    const { code, out, questions } = await capstan(["coding-agents", "install", "claude"], ["n"]);
    expect(code).toBe(0);
    expect(out).toContain("npm install -g @anthropic-ai/claude-code");
    expect(questions).toEqual([expect.stringContaining("npm install -g @anthropic-ai/claude-code")]);
  });
});

test("capstan models lists an agent's models with windows, prices and levels, and marks the default", async () => {
  const { out } = await capstan(["models", "claude"]);
  expect(out).toMatch(/claude-opus-5-5 \* +\d+k +\$\d+/);
  expect(JSON.parse((await capstan(["models", "codex", "--json"])).out)[0]).toMatchObject({ agent: "codex" });
  expect((await capstan(["models", "nobody"])).code).toBe(1);
});

describe("capstan delegate", () => {
  test("prints the answer, the tools and the end as they arrive", async () => {
    install("claude-tool");
    const { code, out } = await capstan(["delegate", "claude", "--thinking", "high", "use a tool"]);
    expect(out).toMatch(/I will use a tool\.\s+> Bash .*sim-tool-ok[\s\S]*The sim answer is 42\.\s+done/);
    expect(code).toBe(0);
  });

  test("says of a call that was not allowed that it did not run, and how it would", async () => {
    install("claude-denied");
    const { out } = await capstan(["delegate", "claude", "write a file"]);
    expect(out).toMatch(/> Bash .*\n {2}not allowed; --approve prompt asks you/);
  });

  test("exits with 1 when the run did not end as done", async () => {
    install("claude-err401");
    const { code, out } = await capstan(["delegate", "claude", "hello"]);
    expect([code, out]).toEqual([1, expect.stringMatching(/failed: Invalid API key/)]);
  });

  test("gives files of this machine along, and refuses one that is not there by its code", async () => {
    install("claude-text");
    writeFileSync(join(home, "notes.txt"), "notes");
    const given = await capstan(["delegate", "claude", "--attach", join(home, "notes.txt"), "hello"]);
    expect(given.code).toBe(0);
    const refused = await capstan(["delegate", "claude", "--attach", join(home, "none.txt"), "hello"]);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(/no such file[\s\S]*at most 10 MB/),
    ]);
  });

  test("refuses unsupported options before anything starts", async () => {
    const { code, err } = await capstan(["delegate", "hermes", "--thinking", "high", "hello"]);
    expect(code).toBe(1);
    expect(err).toContain("Agent 'hermes' does not support thinking/reasoning mode");
  });
});

test("capstan doctor lists who is installed, in which version, and who is not", async () => {
  install("claude-text");
  const { agents } = JSON.parse((await capstan(["doctor", "--json"])).out);
  expect(agents).toHaveLength(10);
  const claude = agents.find(({ agent }: { agent: string }) => agent === "claude");
  expect(claude).toMatchObject({ installed: true, version: "2.1.325", standing: "tested" });
  expect(agents.find(({ agent }: { agent: string }) => agent === "pi")).toMatchObject({ installed: false });
});

test("capstan doctor --probe exits with 3 when a probe proves nothing, and says so", async () => {
  const path = join(home, "bin", "claude");
  writeFileSync(path, '#!/bin/sh\n[ "$1" = --version ] && { echo "2.1.325 (Claude Code)"; exit; }\nexit 1\n');
  chmodSync(path, 0o755);
  const typed = await capstan(["doctor", "claude", "--probe"]);
  expect(typed.code).toBe(3);
  expect(typed.out).toMatch(/claude over stream-json: exact prompt (fails|inconclusive)/);
  expect(typed.out).not.toContain("as declared");
});

test("capstan doctor --probe exits with 3 for an agent that it could not probe, and says why", async () => {
  const typed = await capstan(["doctor", "pi", "hermes", "--probe"]);
  expect(typed.code).toBe(3);
  expect(typed.out).toContain("pi: not probed, it is not installed");
  expect((await capstan(["doctor", "pi"])).code).toBe(0);
});
