/** How each option of a run is passed: arguments, variables, files, or protocol messages. */

import { NO_THINKING, type RunFile } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import type { BuiltInAgentName } from "../built-in/built-in-agents.ts";
import { conversationOf } from "../fixtures/conversation.ts";
import { type Asked, openedRun } from "../fixtures/opened-run.ts";

const COMMAND = { name: "x", command: "serve", args: ["--fast"], env: { K: "v" } };
const ADDRESS = { name: "y", url: "https://h/mcp", headers: { authorization: "Bearer t" } };
const IMAGE = { path: "/a/cat.png", mimeType: "image/png", data: "AA==" };
const NOTES = { path: "/a/notes.txt", mimeType: "text/plain", data: "aGk=" };

const open = openedRun;

describe("the command line", () => {
  test.each<[BuiltInAgentName, string]>([
    [
      "claude",
      "claude -p --input-format stream-json --output-format stream-json --verbose --permission-prompt-tool stdio --include-partial-messages --session-id fresh",
    ],
    ["codex", "codex app-server"],
    ["gemini", "gemini --acp"],
    ["copilot", "copilot --output-format json --no-ask-user --no-auto-update --session-id=fresh"],
    ["cursor", "agent -p --output-format stream-json --stream-partial-output --workspace /work -- hi"],
    ["opencode", "opencode serve --hostname 127.0.0.1 --port 0"],
    ["pi", "pi --mode rpc --session-id fresh --no-builtin-tools"],
    ["omp", "omp -p --mode json --no-title --approval-mode always-ask -- hi"],
    ["openclaw", "openclaw agent exec --json --cwd /work -- hi"],
    ["hermes", "hermes acp"],
  ])("of %s with a prompt alone is `%s`", (agent, line) => {
    expect(open(agent, {}).argv.join(" ")).toBe(line);
  });

  test.each<Asked>([{}, { sessionId: "s" }, { forkSessionId: "s" }])(
    "of codex over `exec` with %j sets the sandbox, whatever the user's own settings allow",
    (asked) =>
      expect(open("codex", { transport: "exec", ...asked }).argv).toContain('sandbox_mode="read-only"'),
  );

  test.each<[Asked, boolean]>([
    [{}, true],
    [{ stream: "auto" }, true],
    [{ stream: true }, false],
    [{ approvalMode: "prompt" }, false],
    [{ skills: ["/s/tides"] }, false],
    [{ mcpServers: [COMMAND] }, false],
    [{ place: { nativeTools: "off" } }, false],
  ])("of codex with %j falls back to `exec`: %s", (asked, falls) => {
    expect(open("codex", asked).fallback !== undefined).toBe(falls);
  });

  test.each<[BuiltInAgentName, Asked]>([
    ["codex", { transport: "exec" }],
    ["codex", { transport: "exec", sessionId: "s" }],
    ["copilot", {}],
    ["gemini", { sessionId: "s" }],
  ])("of %s with %j has no prompt: it is on stdin, as it is", (agent, asked) => {
    const prompt = "-x \0 a word";
    const { argv, input } = open(agent, { ...asked, prompt });
    expect(argv.join(" ")).not.toContain("a word");
    expect(input).toBe(prompt);
  });

  test.each<[BuiltInAgentName, Asked, string]>([
    ["claude", { place: { model: "m" } }, "--model m"],
    ["claude", { sessionId: "s" }, "--resume s"],
    ["claude", { forkSessionId: "s" }, "--resume s --fork-session"],
    ["claude", { skills: ["/s/tides"] }, "--plugin-dir /run/plugin"],
    ["claude", { mcpServers: [COMMAND] }, "--mcp-config /run/mcp.json"],
    ["claude", { systemPrompt: "Be brief." }, "--append-system-prompt-file /run/instructions.md"],
    ["claude", { maxTurns: 3 }, "--max-turns 3"],
    ["claude", { outputSchema: { type: "object" } }, '--json-schema {"type":"object"}'],
    ["claude", { place: { nativeTools: "off" } }, "--strict-mcp-config --tools "],
    ["gemini", { place: { model: "m" } }, "-m m"],
    ["gemini", { sessionId: "s" }, "-o stream-json --approval-mode default --resume s"],
    [
      "gemini",
      { approvalMode: "yolo", transport: "stream-json" },
      "-o stream-json --approval-mode yolo --session-id fresh",
    ],
    ["gemini", { place: { nativeTools: "off" } }, "--policy /run/policy.toml"],
    ["copilot", { place: { model: "m" } }, "--model m"],
    ["copilot", { stream: false }, "--stream off"],
    ["copilot", { sessionId: "s" }, "--resume=s"],
    ["copilot", { skills: ["/s/tides"] }, "--add-dir /run/skills"],
    ["copilot", { mcpServers: [COMMAND] }, "--additional-mcp-config @/run/mcp.json"],
    ["copilot", { place: { attachments: [IMAGE] } }, "--attachment /a/cat.png"],
    ["copilot", { approvalMode: "yolo" }, "--allow-all"],
    [
      "copilot",
      { mcpServers: [COMMAND], place: { nativeTools: "off" } },
      "--additional-mcp-config @/run/mcp.json --disable-builtin-mcps --available-tools=x/* --allow-tool=x",
    ],
    ["cursor", { place: { model: "m" } }, "--model m"],
    ["cursor", { sessionId: "s" }, "--resume s"],
    ["cursor", { approvalMode: "yolo" }, "--force"],
    ["cursor", { mcpServers: [COMMAND] }, "acp"],
    ["pi", { place: { model: "m" } }, "--model m"],
    ["pi", { sessionId: "s" }, "--session s"],
    ["pi", { forkSessionId: "s" }, "--fork s"],
    ["pi", { skills: ["/s/tides"] }, "--skill /s/tides"],
    ["pi", { systemPrompt: "Be brief." }, "--append-system-prompt /run/instructions.md"],
    ["omp", { place: { model: "m" } }, "--model m"],
    ["omp", { sessionId: "s" }, "--resume s"],
    ["omp", { skills: ["/s/tides"] }, "--plugin-dir /run/plugin"],
    ["omp", { systemPrompt: "Be brief." }, "--append-system-prompt /run/instructions.md"],
    ["omp", { approvalMode: "yolo" }, "yolo"],
    ["omp", { place: { attachments: [IMAGE] } }, "@/a/cat.png"],
    ["omp", { place: { nativeTools: "off" } }, "--no-tools"],
    ["openclaw", { place: { model: "m" } }, "--model m"],
    ["openclaw", { timeoutMs: 5_001 }, "--timeout 6"],
    ["openclaw", { sessionId: "s" }, "--local --agent main --session-id s --message=hi"],
  ])("of %s takes %j as `%s`", (agent, asked, words) => {
    expect(added(open(agent, {}).argv, open(agent, asked).argv).join(" ")).toBe(words);
  });

  test.each<[BuiltInAgentName, Asked, string]>([
    ["claude", { stream: false }, "--include-partial-messages"],
    ["cursor", { stream: false }, "--stream-partial-output"],
    ["pi", { approvalMode: "yolo" }, "--no-builtin-tools"],
  ])("of %s leaves out what %j makes redundant: `%s`", (agent, asked, words) => {
    expect(added(open(agent, asked).argv, open(agent, {}).argv).join(" ")).toBe(words);
  });

  test.each<[BuiltInAgentName, Asked]>([
    ["gemini", { approvalMode: "yolo", stream: "auto" }],
    ["gemini", { approvalMode: "prompt", prompt: "/tmp is full" }],
    ["gemini", { approvalMode: "yolo", mcpServers: [COMMAND] }],
    ["copilot", { approvalMode: "prompt" }],
    ["omp", { approvalMode: "prompt" }],
    ["omp", { forkSessionId: "s" }],
    ["omp", { mcpServers: [COMMAND] }],
    ["cursor", { approvalMode: "prompt" }],
  ])("of %s with %j is that of its ACP", (agent, asked) => {
    expect(open(agent, asked).argv.slice(0, 2).join(" ")).toMatch(/^\w+ (--)?acp$/);
  });
});

describe("the environment", () => {
  test.each<[BuiltInAgentName, Asked, Record<string, unknown>]>([
    ["gemini", {}, { GEMINI_CLI_NO_RELAUNCH: "true", GEMINI_CLI_TRUST_WORKSPACE: "true" }],
    ["gemini", { skills: ["/s/tides"] }, { GEMINI_CLI_HOME: "/run/home" }],
    [
      "gemini",
      { systemPrompt: "Be brief.", place: { nativeTools: "off" } },
      { GEMINI_SYSTEM_MD: "/run/instructions.md" },
    ],
    ["copilot", { systemPrompt: "Be brief." }, { COPILOT_CUSTOM_INSTRUCTIONS_DIRS: "/run/instructions" }],
    ["claude", { mcpServers: [COMMAND] }, { ENABLE_TOOL_SEARCH: "false" }],
    ["openclaw", {}, { NO_COLOR: "1", OPENCLAW_HIDE_BANNER: "1" }],
  ])("of %s with %j has %j", (agent, asked, variables) => {
    expect(open(agent, asked).env).toMatchObject(variables);
  });

  test.each<[Asked, object]>([
    [{}, { permission: { edit: "ask", bash: "ask", webfetch: "ask" } }],
    [{ approvalMode: "yolo" }, {}],
    [{ skills: ["/s/tides/SKILL.md"] }, { skills: { paths: ["/s/tides"] } }],
    [{ systemPrompt: "Be brief." }, { instructions: ["/run/instructions.md"] }],
    [
      { mcpServers: [COMMAND, ADDRESS] },
      {
        mcp: {
          x: { type: "local", command: ["serve", "--fast"], environment: { K: "v" }, enabled: true },
          // with a token it looks for no login: a run that was stopped would leave that file locked for the next
          y: {
            type: "remote",
            url: "https://h/mcp",
            headers: { authorization: "Bearer t" },
            enabled: true,
            oauth: false,
          },
        },
      },
    ],
    [{ mcpServers: [COMMAND], place: { nativeTools: "off" } }, { tools: { "*": false, "x_*": true } }],
  ])("of opencode carries %j as the config %j", (asked, config) => {
    const { env } = open("opencode", asked);
    expect(JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? "")).toMatchObject(config);
  });
});

describe("the run's files", () => {
  test.each<[BuiltInAgentName, Asked, Record<string, unknown>]>([
    [
      "claude",
      { mcpServers: [COMMAND, ADDRESS] },
      {
        "/run/mcp.json": {
          mcpServers: {
            x: { type: "stdio", command: "serve", args: ["--fast"], env: { K: "v" } },
            y: { type: "http", url: "https://h/mcp", headers: { authorization: "Bearer t" } },
          },
        },
      },
    ],
    ["claude", { systemPrompt: "Be brief." }, { "/run/instructions.md": "Be brief." }],
    ["claude", { skills: ["/s/tides"] }, { "/run/plugin/skills/tides": "-> /s/tides" }],
    ["claude", { skills: ["/s/tides/SKILL.md"] }, { "/run/plugin/skills/tides": "-> /s/tides" }],
    ["codex", { skills: ["/s/tides"] }, { "/run/skills/tides": "-> /s/tides" }],
    ["copilot", { skills: ["/s/tides"] }, { "/run/skills/.github/skills/tides": "-> /s/tides" }],
    [
      "copilot",
      { systemPrompt: "Be brief." },
      { "/run/instructions/.github/instructions/run.instructions.md": expect.stringContaining("Be brief.") },
    ],
    ["gemini", { skills: ["/s/tides"] }, { "/run/home/.gemini/skills/tides": "-> /s/tides" }],
    [
      "gemini",
      { sessionId: "s", mcpServers: [ADDRESS] },
      {
        "/run/home/.gemini/settings.json": {
          mcpServers: { y: { httpUrl: "https://h/mcp", headers: { authorization: "Bearer t" } } },
        },
      },
    ],
    ["opencode", { systemPrompt: "Be brief." }, { "/run/instructions.md": "Be brief." }],
    ["pi", { systemPrompt: "Be brief." }, { "/run/instructions.md": "Be brief." }],
    ["omp", { systemPrompt: "Be brief." }, { "/run/instructions.md": "Be brief." }],
    ["omp", { skills: ["/s/tides"] }, { "/run/plugin/skills/tides": "-> /s/tides" }],
  ])("of %s with %j are %j", (agent, asked, files) => {
    expect(Object.fromEntries(open(agent, asked).files.map(shown))).toMatchObject(files);
  });
});

describe("the protocol", () => {
  test.each<[string, Asked, string, object]>([
    ["model", { place: { model: "m" } }, "thread/start", { model: "m" }],
    ["cwd", {}, "thread/start", { cwd: "/work", approvalPolicy: "untrusted", sandbox: "read-only" }],
    [
      "yolo",
      { approvalMode: "yolo" },
      "thread/start",
      { approvalPolicy: "never", sandbox: "danger-full-access" },
    ],
    [
      "prompt",
      { approvalMode: "prompt" },
      "thread/start",
      { approvalPolicy: "untrusted", sandbox: "workspace-write" },
    ],
    ["sessionId", { sessionId: "s" }, "thread/resume", { threadId: "s" }],
    ["forkSessionId", { forkSessionId: "s" }, "thread/fork", { threadId: "s" }],
    ["systemPrompt", { systemPrompt: "Be brief." }, "thread/start", { developerInstructions: "Be brief." }],
    [
      "mcpServers",
      { mcpServers: [COMMAND, ADDRESS] },
      "thread/start",
      {
        config: {
          mcp_servers: {
            x: { command: "serve", args: ["--fast"], env: { K: "v" } },
            y: { url: "https://h/mcp", http_headers: { authorization: "Bearer t" } },
          },
        },
      },
    ],
    ["skills", { skills: ["/s/tides"] }, "skills/extraRoots/set", { extraRoots: ["/run/skills"] }],
    [
      "skills",
      { skills: ["/s/tides"] },
      "turn/start",
      { input: [{ type: "text" }, { type: "skill", name: "tides", path: "/run/skills/tides/SKILL.md" }] },
    ],
    [
      "an image",
      { place: { attachments: [IMAGE] } },
      "turn/start",
      {
        input: [
          { type: "text", text: "hi" },
          { type: "localImage", path: "/a/cat.png" },
        ],
      },
    ],
  ])("of codex carries %s", (_, asked, method, params) => {
    expect(paramsOf("codex", asked, method)).toMatchObject(params);
  });

  test.each<[BuiltInAgentName, Asked, string, object]>([
    ["gemini", {}, "session/new", { cwd: "/work", mcpServers: [] }],
    [
      "gemini",
      { mcpServers: [COMMAND, ADDRESS] },
      "session/new",
      {
        mcpServers: [
          { name: "x", command: "serve", args: ["--fast"], env: [{ name: "K", value: "v" }] },
          {
            type: "http",
            name: "y",
            url: "https://h/mcp",
            headers: [{ name: "authorization", value: "Bearer t" }],
          },
        ],
      },
    ],
    ["omp", { forkSessionId: "s" }, "session/fork", { sessionId: "s", cwd: "/work" }],
    ["hermes", { sessionId: "s" }, "session/load", { sessionId: "s" }],
    ["hermes", { place: { model: "m" } }, "session/set_config_option", { configId: "model", value: "m" }],
    [
      "hermes",
      { systemPrompt: "Be brief." },
      "session/prompt",
      { prompt: [{ type: "text", text: expect.stringMatching(/Be brief\.[\s\S]*hi$/) }] },
    ],
    [
      "gemini",
      { place: { attachments: [IMAGE, NOTES] } },
      "session/prompt",
      {
        prompt: [
          { type: "image", data: "AA==", mimeType: "image/png" },
          { type: "resource_link", uri: "file:///a/notes.txt" },
          { type: "text", text: "hi" },
        ],
      },
    ],
  ])("of %s with %j says %s with %j", (agent, asked, method, params) => {
    expect(paramsOf(agent, asked, method)).toMatchObject(params);
  });

  test.each<[Asked, object]>([
    [{}, { method: "POST", path: "/session" }],
    [{ sessionId: "s" }, { method: "GET", path: "/session/s" }],
    [{ forkSessionId: "s" }, { method: "POST", path: "/session/s/fork" }],
  ])("of opencode with %j opens its session by %j", (asked, request) => {
    expect(JSON.parse(open("opencode", asked).stdin?.[0] ?? "")).toMatchObject(request);
  });

  test.each<[Asked, object]>([
    [{ place: { model: "p/m" } }, { model: { providerID: "p", modelID: "m" } }],
    [{ outputSchema: { type: "object" } }, { format: { type: "json_schema", schema: { type: "object" } } }],
    [
      { place: { attachments: [IMAGE, NOTES] } },
      {
        parts: [
          { type: "file", mime: "image/png", url: "data:image/png;base64,AA==" },
          { type: "file", mime: "text/plain", url: "file:///a/notes.txt" },
          { type: "text", text: "hi" },
        ],
      },
    ],
  ])("of opencode with %j prompts with %j", (asked, body) => {
    const { send = [] } = open("opencode", asked).onLine(
      JSON.stringify({ id: "open", status: 200, body: { id: "s" } }),
    );
    expect(JSON.parse(send[0] ?? "")).toMatchObject({ path: "/session/s/prompt_async", body });
  });

  test("of opencode keeps others on the machine out of its server", () => {
    const { env, http } = open("opencode", {});
    expect(env.OPENCODE_SERVER_PASSWORD).toBe("s3cret");
    expect(http?.headers.authorization).toBe(`Basic ${btoa("opencode:s3cret")}`);
  });

  test("of codex carries a schema, and a summary that the caller chose instead of ours", () => {
    const asked = { outputSchema: { type: "object" } };
    expect(paramsOf("codex", asked, "turn/start")).toMatchObject({ outputSchema: { type: "object" } });
    const option = { name: "reasoning_effort", value: "high" };
    const chosen = { ...NO_THINKING, option, params: { model_reasoning_summary: "none" } };
    expect(paramsOf("codex", { place: { thinking: chosen } }, "turn/start")).toMatchObject({
      effort: "high",
      summary: "none",
    });
  });

  test.each(["/help me", "read @notes.txt, please"])(
    "of claude carries %j to the model as it is, first and later",
    (prompt) => {
      const run = open("claude", { prompt });
      const later = run.command?.({ type: "send", text: prompt })?.send?.at(-1);
      for (const line of [run.stdin?.at(-1), later]) {
        expect(JSON.parse(line ?? "").message.content).toEqual([
          { type: "text", text: prompt },
          { type: "text", text: "(The text above is a message: no command, no file to read.)" },
        ]);
      }
    },
  );

  test("of claude carries images and documents as content, other files as paths", () => {
    const pdf = { path: "/a/b.pdf", mimeType: "application/pdf", data: "BB==" };
    const { stdin = [] } = open("claude", { place: { attachments: [IMAGE, pdf, NOTES] } });
    expect(JSON.parse(stdin.at(-1) ?? "").message.content).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } },
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: "BB==" } },
      { type: "text", text: "Attached file: /a/notes.txt\n\nhi" },
      { type: "text", text: "hi" },
    ]);
  });

  test("of omp's ACP does not support a thinking budget, and says so", () => {
    const thinking = { ...NO_THINKING, settings: { thinkingBudgets: { high: 5000 } } };
    expect(open("omp", { place: { thinking } }).argv).toContain("--config");
    expect(open("omp", { approvalMode: "prompt", place: { thinking } }).warnings).toHaveLength(1);
  });

  test("of pi carries images as bytes, other files as paths", () => {
    const { stdin = [] } = open("pi", { place: { attachments: [IMAGE, NOTES] } });
    expect(JSON.parse(stdin.at(-1) ?? "")).toMatchObject({
      type: "prompt",
      message: "hi\n\nAttached file: /a/notes.txt\n\nhi",
      images: [{ type: "image", data: "AA==", mimeType: "image/png" }],
    });
  });
});

/** The words of `after` that `before` has not. */
function added(before: readonly string[], after: readonly string[]): string[] {
  const left = [...before];
  return after.filter((word) => {
    const at = left.indexOf(word);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

const paramsOf = (agent: BuiltInAgentName, asked: Asked, method: string) =>
  conversationOf(open(agent, asked)).find((said) => said.method === method)?.params;

function shown(file: RunFile): [string, unknown] {
  if ("linkTo" in file) return [file.path, `-> ${file.linkTo}`];
  if ("document" in file) return [file.path, file.document];
  if (!("content" in file)) return [file.path, `links into ${file.linksInto}`];
  return [file.path, file.path.endsWith(".json") ? JSON.parse(file.content) : file.content];
}
