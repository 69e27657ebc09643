import type { CodingAgentEvent, LineReader } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import type { BuiltInAgentName } from "../built-in/built-in-agents.ts";
import { recordingReader, TRANSCRIPTS } from "../fixtures/transcripts.ts";
import { replay } from "../replay/replay.ts";
import { acpReader } from "./acp-reader.ts";
import { claudeReader } from "./claude-reader.ts";
import { codexAppServerReader } from "./codex-app-server-reader.ts";
import { piReader } from "./pi-reader.ts";

const json = (value: unknown) => JSON.stringify(value);
const init = json({ type: "system", subtype: "init", session_id: "s", model: "m" });
const claudeResult = (fields: object) => json({ type: "result", session_id: "s", ...fields });
const acp = (fields: object) => json({ jsonrpc: "2.0", ...fields });
const acpEnd = (stopReason: string) => acp({ id: 2, result: { stopReason } });

describe("how a run ended, for cases without a recording", () => {
  test.each<[string, BuiltInAgentName, string[], object]>([
    [
      "Claude's turn limit",
      "claude",
      [init, claudeResult({ subtype: "error_max_turns", is_error: true, terminal_reason: "max_turns" })],
      { outcome: "limit", limit: "turns" },
    ],
    [
      "Claude's budget",
      "claude",
      [init, claudeResult({ subtype: "error_max_budget_usd", is_error: true })],
      { outcome: "limit", limit: "cost" },
    ],
    [
      "Claude interrupted in a tool",
      "claude",
      [
        init,
        claudeResult({ subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_tools" }),
      ],
      { outcome: "aborted" },
    ],
    [
      "Gemini's turn limit, as an error that a success follows",
      "gemini",
      [
        json({ type: "init", session_id: "s" }),
        json({ type: "error", severity: "error", message: "Maximum session turns exceeded" }),
        json({ type: "result", status: "success" }),
      ],
      { outcome: "limit", limit: "turns" },
    ],
    [
      "Gemini's turn limit, as a result",
      "gemini",
      [
        json({
          type: "result",
          status: "error",
          error: { type: "FatalTurnLimitedError", message: "Reached max session turns" },
        }),
      ],
      { outcome: "limit", limit: "turns" },
    ],
    [
      "Gemini cancelled",
      "gemini",
      [
        json({
          type: "result",
          status: "error",
          error: { type: "FatalCancellationError", message: "Operation cancelled." },
        }),
      ],
      { outcome: "aborted" },
    ],
    [
      "Gemini with a warning on the way",
      "gemini",
      [
        json({ type: "error", severity: "warning", message: "Loop detected" }),
        json({ type: "result", status: "success" }),
      ],
      { outcome: "done" },
    ],
    [
      "Codex out of its session's budget",
      "codex",
      [
        json({
          method: "turn/completed",
          params: {
            turn: { status: "failed", error: { message: "x", codexErrorInfo: "sessionBudgetExceeded" } },
          },
        }),
      ],
      { outcome: "limit", limit: "cost" },
    ],
    [
      "a refused thread of Codex",
      "codex",
      [
        json({ dir: "c2a", msg: { id: 2, method: "thread/resume", params: {} } }),
        json({ dir: "a2c", msg: { id: 2, error: { code: -32600, message: "no rollout found" } } }),
      ],
      { outcome: "failed", message: "no rollout found" },
    ],
    [
      "Copilot out of credits",
      "copilot",
      [
        json({ type: "session_limits_exhausted.requested", id: "1", data: {} }),
        json({ type: "result", exitCode: 1 }),
      ],
      { outcome: "limit", limit: "cost" },
    ],
    [
      "Copilot aborted",
      "copilot",
      [
        json({ type: "abort", id: "1", data: { reason: "user_initiated" } }),
        json({ type: "result", exitCode: 0 }),
      ],
      { outcome: "aborted" },
    ],
    [
      "OpenCode cut by its model's limit",
      "opencode",
      [json({ type: "step_finish", sessionID: "s", part: { reason: "length" } })],
      { outcome: "limit", limit: "tokens", sessionId: "s" },
    ],
    [
      "OpenCode aborted",
      "opencode",
      [
        json({
          type: "error",
          sessionID: "s",
          error: { name: "MessageAbortedError", data: { message: "Aborted" } },
        }),
      ],
      { outcome: "aborted" },
    ],
    [
      "a prompt that Pi refused",
      "pi",
      [
        json({
          dir: "a2c",
          msg: { id: "1", type: "response", command: "prompt", success: false, error: "no model" },
        }),
      ],
      { outcome: "failed", message: "no model" },
    ],
    ["ACP's turn limit", "hermes", [acpEnd("max_turn_requests")], { outcome: "limit", limit: "turns" }],
    ["ACP's token limit", "hermes", [acpEnd("max_tokens")], { outcome: "limit", limit: "tokens" }],
    ["ACP's refusal", "hermes", [acpEnd("refusal")], { outcome: "failed" }],
    ["an ACP agent that ended without a word", "hermes", [acpEnd("end_turn")], { outcome: "done" }],
    [
      "OpenClaw that prints its object over many lines",
      "openclaw",
      JSON.stringify({ ok: true, status: "ok", final: "42", payloads: [] }, null, 2).split("\n"),
      { outcome: "done" },
    ],
    [
      "OpenClaw out of time",
      "openclaw",
      [json({ ok: false, status: "timeout", payloads: [] })],
      { outcome: "limit", limit: "time" },
    ],
    [
      "OpenClaw's local turn with an error",
      "openclaw",
      [json({ payloads: [{ text: "no key", isError: true }], meta: { agentMeta: { sessionId: "s" } } })],
      { outcome: "failed", message: "no key" },
    ],
    [
      "Hermes' plain text, which has no terminal event",
      "hermes",
      ["The answer is 42."],
      { outcome: "aborted" },
    ],
  ])("%s", (_, agent, lines, end) => {
    expect(replay(recordingReader(agent), lines.join("\n")).at(-1)).toMatchObject(end);
  });
});

test("Cursor's documented stream becomes the same events, its text once", () => {
  const call = (subtype: string, body: object) =>
    json({ type: "tool_call", subtype, call_id: "c1", tool_call: { readToolCall: body }, session_id: "s" });
  const says = (text: string, extra = {}) =>
    json({ type: "assistant", message: { role: "assistant", content: [{ type: "text", text }] }, ...extra });
  const events = replay(
    recordingReader("cursor"),
    [
      json({
        type: "system",
        subtype: "init",
        session_id: "s",
        model: "auto",
        cwd: "/w",
        apiKeySource: "env",
      }),
      json({ type: "user", message: { role: "user", content: [{ type: "text", text: "hi" }] } }),
      says("I will ", { timestamp_ms: 1 }),
      says("read.", { timestamp_ms: 2 }),
      says("I will read."),
      call("started", { args: { path: "a.md" } }),
      call("completed", { args: { path: "a.md" }, result: { success: { content: "# A" } } }),
      says("Done."),
      json({ type: "result", subtype: "success", is_error: false, result: "Done.", session_id: "s" }),
    ].join("\n"),
  );
  expect(events.filter(({ type }) => type !== "text-delta")).toEqual([
    { type: "run-started", agent: "cursor", sessionId: "s", model: "auto", cwd: "/w" },
    { type: "tool-started", id: "c1", tool: "read", input: { path: "a.md" } },
    { type: "tool-ended", id: "c1", tool: "read", output: "# A", isError: false },
    { type: "run-ended", outcome: "done", sessionId: "s", turns: 2 },
  ]);
  expect(textOf(events)).toBe("I will read.Done.");
});

test.each(
  TRANSCRIPTS.filter(({ name }) => /-(text|fork|resume|think|tool|chat|acp)$/.test(name)).map(
    ({ name, agent, text }) => [name, agent, text] as const,
  ),
)("%s emits the model's text once", (_, agent, text) => {
  expect(textOf(replay(recordingReader(agent), text))).toMatch(
    /^(I will use a tool\.)?(The sim answer is 42\.)?$/,
  );
});

test.each(["claude-tool", "copilot-tool", "opencode-tool"])(
  "%s, with every line printed twice, emits each text and tool once",
  (name) => {
    const { agent, text } = TRANSCRIPTS.find((transcript) => transcript.name === name) ?? {
      agent: "claude" as const,
      text: "",
    };
    const twice = text
      .split("\n")
      .flatMap((line) => [line, line])
      .join("\n");
    expect(replay(recordingReader(agent), twice)).toEqual(replay(recordingReader(agent), text));
  },
);

describe("approvals", () => {
  test("Claude's question is answered with the input it asked about", () => {
    const reader = claudeReader();
    const request = {
      subtype: "can_use_tool",
      tool_name: "Bash",
      input: { command: "rm x" },
      tool_use_id: "t1",
    };
    const { events } = reader.onLine(json({ type: "control_request", request_id: "r1", request }));
    expect(events).toMatchObject([
      { type: "approval-requested", id: "r1", toolId: "t1", tool: "Bash", input: request.input },
    ]);
    expect(sent(reader, { type: "approve", id: "r1" })).toEqual([
      {
        type: "control_response",
        response: {
          subtype: "success",
          request_id: "r1",
          response: { behavior: "allow", updatedInput: request.input },
        },
      },
    ]);
    expect(sent(reader, { type: "deny", id: "r1" })).toBeUndefined();
  });

  test("Claude's other questions are refused immediately, so that nothing hangs", () => {
    const step = claudeReader().onLine(
      json({ type: "control_request", request_id: "r2", request: { subtype: "hook_callback" } }),
    );
    expect(step.send?.map((line) => JSON.parse(line))).toMatchObject([
      { response: { subtype: "error", request_id: "r2" } },
    ]);
  });

  test("Codex's question gets its own terms for yes and no", () => {
    const reader = codexAppServerReader();
    reader.onLine(
      json({
        id: 7,
        method: "item/commandExecution/requestApproval",
        params: { itemId: "i", command: "touch a" },
      }),
    );
    expect(sent(reader, { type: "deny", id: "7" })).toEqual([{ id: 7, result: { decision: "decline" } }]);
  });

  test("Codex's question about a tool of an MCP server names the tool and shows its arguments", () => {
    const asked = (_meta: object | null) =>
      codexAppServerReader().onLine(
        json({
          id: 8,
          method: "mcpServer/elicitation/request",
          params: {
            serverName: "capstan",
            message: 'Allow the capstan MCP server to run tool "add"?',
            _meta,
          },
        }),
      ).events;
    const meta = { codex_approval_kind: "mcp_tool_call", tool_params: { a: 2, b: 3 } };
    expect(asked(meta)).toMatchObject([{ tool: "capstan.add", input: { a: 2, b: 3 } }]);
    // A question of the server itself, in the same words, is not about a call.
    expect(asked(null)).toMatchObject([{ tool: "capstan", input: { message: expect.any(String) } }]);
  });

  test("an ACP agent's question is answered by the option of that kind, and a denied call is recorded as denied", () => {
    const reader = acpReader();
    const options = [
      { optionId: "always", kind: "allow_always" },
      { optionId: "once", kind: "allow_once" },
      { optionId: "no", kind: "reject_once" },
    ];
    const toolCall = { toolCallId: "t", title: "touch a", kind: "execute" };
    reader.onLine(acp({ id: 0, method: "session/request_permission", params: { options, toolCall } }));
    const [answer] = sent(reader, { type: "deny", id: "0" }) ?? [];
    expect(answer).toEqual({
      jsonrpc: "2.0",
      id: 0,
      result: { outcome: { outcome: "selected", optionId: "no" } },
    });
    expect(reader.onSent?.(json(answer)).events).toMatchObject([
      { type: "tool-ended", id: "t", isError: true, denied: true },
    ]);
  });

  test("a dialog of a Pi extension is an approval; what needs more than yes or no is cancelled", () => {
    const reader = piReader({ terminal: "agent_settled" });
    const confirm = reader.onLine(
      json({ type: "extension_ui_request", id: "d1", method: "confirm", title: "Delete?" }),
    );
    expect(confirm.events).toMatchObject([{ type: "approval-requested", id: "d1" }]);
    expect(sent(reader, { type: "approve", id: "d1" })).toMatchObject([{ id: "d1", confirmed: true }]);
    const input = reader.onLine(
      json({ type: "extension_ui_request", id: "d2", method: "input", title: "Name?" }),
    );
    expect(input.send).toEqual([json({ type: "extension_ui_response", id: "d2", cancelled: true })]);
  });
});

test("an ACP session that is loaded does not repeat its history", () => {
  const reader = acpReader();
  const chunk = (text: string) =>
    acp({
      method: "session/update",
      params: { update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } },
    });
  reader.onSent?.(acp({ id: 1, method: "session/load", params: { sessionId: "s" } }));
  expect(reader.onLine(chunk("old")).events).toEqual([]);
  reader.onLine(acp({ id: 1, result: {} }));
  expect(reader.onLine(chunk("new")).events).toEqual([{ type: "text-delta", text: "new" }]);
});

test("a sub-agent's end is not the end of Codex's run", () => {
  const turn = (threadId: string) =>
    json({ method: "turn/completed", params: { threadId, turn: { status: "completed" } } });
  const events = replay(
    recordingReader("codex"),
    [json({ method: "thread/started", params: { thread: { id: "main" } } }), turn("sub")].join("\n"),
  );
  expect(events.at(-1)).toMatchObject({ outcome: "aborted", sessionId: "main" });
});

function sent(
  reader: LineReader,
  command: Parameters<NonNullable<LineReader["command"]>>[0],
): unknown[] | undefined {
  return reader.command?.(command)?.send?.map((line) => JSON.parse(line));
}

function textOf(events: readonly CodingAgentEvent[]): string {
  return events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
}
