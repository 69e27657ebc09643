import { NO_THINKING, type RunOptions, type RunPlace } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import {
  BUILT_IN_ADAPTERS,
  BUILT_IN_AGENT_NAMES,
  type BuiltInAgentName,
} from "../built-in/built-in-agents.ts";
import { conversationOf } from "../fixtures/conversation.ts";
import { openedRun } from "../fixtures/opened-run.ts";

const TRICKY = '--yolo "$(id)" `id`\n[[text]]';

const open = (agent: BuiltInAgentName, options: Partial<RunOptions> = {}, place: Partial<RunPlace> = {}) =>
  openedRun(agent, { ...options, place });

describe.each(BUILT_IN_AGENT_NAMES)("%s", (agent) => {
  const { capabilities, commands } = BUILT_IN_ADAPTERS[agent];

  test("starts its own command, in every mode it has", () => {
    for (const approvalMode of capabilities.approvalModes) {
      expect(commands).toContain(open(agent, { approvalMode }).argv[0]);
    }
  });

  test("passes the prompt unaltered, and never as an option", () => {
    for (const approvalMode of capabilities.approvalModes) {
      const run = open(agent, { approvalMode, prompt: TRICKY });
      const dashes = run.argv.indexOf("--");
      const asOption = run.argv.indexOf(TRICKY);
      if (asOption !== -1) expect(dashes).toBeGreaterThan(-1);
      if (asOption !== -1) expect(dashes).toBeLessThan(asOption);
      const everywhere = [
        ...run.argv,
        run.input,
        ...(run.stdin ?? []).map(texts),
        texts(conversationOf(run)),
      ].join("\n");
      expect(everywhere).toContain(TRICKY);
    }
  });

  test("asks for no permission to skip permissions unless told to", () => {
    for (const approvalMode of capabilities.approvalModes.filter((mode) => mode !== "yolo")) {
      const { argv } = open(agent, { approvalMode });
      expect(argv.join(" ")).not.toMatch(/yolo|allow-all|dangerously|--auto\b|--force|bypass/);
    }
  });

  test("keeps secrets of MCP servers off the command line, which everyone on the machine can read", () => {
    const secret = "Bearer t0p-secret";
    const mcpServers = [{ name: "capstan", url: "http://127.0.0.1/mcp", headers: { authorization: secret } }];
    for (const approvalMode of capabilities.approvalModes) {
      expect(open(agent, { approvalMode, mcpServers }).argv.join(" ")).not.toContain(secret);
    }
  });

  test("writes only into the run's own folder", () => {
    const all = {
      systemPrompt: "Be brief.",
      skills: ["/skills/tides"],
      mcpServers: [{ name: "x", command: "x" }],
    };
    const run = open(agent, all, { nativeTools: "off", thinking: { ...NO_THINKING, settings: { a: 1 } } });
    expect(run.files.filter(({ path }) => !path.startsWith("/run/"))).toEqual([]);
  });
});

test.each<[BuiltInAgentName, Partial<RunOptions>, string[]]>([
  ["claude", { sessionId: "s1" }, ["--resume", "s1"]],
  ["claude", { forkSessionId: "s1" }, ["--resume", "s1", "--fork-session"]],
  ["claude", { maxTurns: 3 }, ["--max-turns", "3"]],
  ["gemini", { approvalMode: "yolo" }, ["gemini", "--acp"]],
  ["gemini", { approvalMode: "yolo", prompt: "/tmp is full" }, ["gemini", "--acp"]],
  ["copilot", { approvalMode: "yolo", prompt: "/tmp is full" }, ["copilot", "--acp"]],
  ["codex", { transport: "exec" }, ["codex", "exec", "--json"]],
  ["gemini", { approvalMode: "deny", sessionId: "s1" }, ["--approval-mode", "default", "--resume", "s1"]],
  ["gemini", { approvalMode: "prompt" }, ["gemini", "--acp"]],
  ["copilot", { approvalMode: "prompt" }, ["copilot", "--acp"]],
  ["copilot", { approvalMode: "yolo" }, ["--allow-all"]],
  ["opencode", { approvalMode: "yolo", forkSessionId: "s1" }, ["opencode", "serve"]],
  ["pi", { approvalMode: "deny" }, ["--no-builtin-tools"]],
  ["pi", { forkSessionId: "s1" }, ["--fork", "s1"]],
  ["omp", { forkSessionId: "s1" }, ["omp", "acp"]],
  ["omp", { approvalMode: "deny", sessionId: "s1" }, ["--approval-mode", "always-ask", "--resume", "s1"]],
  ["openclaw", {}, ["agent", "exec", "--json"]],
  ["openclaw", { sessionId: "s1" }, ["agent", "--local", "--session-id", "s1"]],
  ["cursor", { approvalMode: "yolo" }, ["--force"]],
  ["cursor", { approvalMode: "prompt" }, ["agent", "acp"]],
  ["hermes", {}, ["hermes", "acp"]],
])("%s with %j is started with %j", (agent, options, words) => {
  expect(open(agent, options).argv).toEqual(expect.arrayContaining(words));
});

/** Every string in a JSON line or value. */
function texts(value: unknown): string {
  if (typeof value === "string") {
    try {
      return texts(JSON.parse(value));
    } catch {
      return value;
    }
  }
  if (typeof value !== "object" || value === null) return "";
  return Object.values(value)
    .map((inner) => (typeof inner === "string" ? inner : texts(inner)))
    .join("\n");
}
