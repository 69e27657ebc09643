import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { BUILT_IN_ADAPTERS, type BuiltInAgentName } from "../built-in/built-in-agents.ts";
import { type CommandRunner, runCommand } from "../command/run-command.ts";
import { listSessions, readSession } from "./session-browser.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const OLD = "22222222-2222-4222-8222-222222222222";
const lines = (...records: unknown[]) => records.map((record) => JSON.stringify(record)).join("\n");

/** As each agent stores "hello" and "hi there", by its version of the field notes. */
const STORED: readonly (readonly [BuiltInAgentName, (id: string) => string, (id: string) => string])[] = [
  [
    "claude",
    (id) => `.claude/projects/-work/${id}.jsonl`,
    () =>
      lines(
        { type: "user", message: { role: "user", content: "hello" } },
        { type: "queue-operation" },
        { type: "assistant", message: { content: [{ type: "text", text: "hi there" }] } },
      ),
  ],
  [
    "codex",
    (id) => `.codex/sessions/2026/11/15/rollout-2026-11-15T06-00-00-${id}.jsonl`,
    () =>
      lines(
        { type: "session_meta", payload: {} },
        {
          type: "response_item",
          payload: { type: "message", role: "user", content: [{ type: "input_text", text: "hello" }] },
        },
        {
          type: "response_item",
          payload: {
            type: "message",
            role: "assistant",
            content: [{ type: "output_text", text: "hi there" }],
          },
        },
      ),
  ],
  [
    "gemini",
    (id) => `.gemini/tmp/work/chats/session-2026-11-15T06-00-${id.slice(0, 8)}.jsonl`,
    (id) =>
      lines(
        { sessionId: id },
        { type: "user", content: [{ text: "hello" }] },
        { type: "gemini", content: "hi there" },
      ),
  ],
  [
    "copilot",
    (id) => `.copilot/session-state/${id}/events.jsonl`,
    () =>
      lines(
        { type: "user.message", data: { content: "hello" } },
        { type: "assistant.message", data: { content: "hi there" } },
      ),
  ],
  [
    "pi",
    (id) => `.pi/agent/sessions/--work--/2026-11-15_${id}.jsonl`,
    (id) =>
      lines(
        { type: "session", id },
        { type: "message", message: { role: "user", content: "hello" } },
        { type: "message", message: { role: "assistant", content: [{ type: "text", text: "hi there" }] } },
      ),
  ],
];

describe.each(STORED)("stored sessions of %s", (agent, path, content) => {
  const adapter = BUILT_IN_ADAPTERS[agent];

  test("are listed, the latest first, and read", async () => {
    const home = newHome();
    write(join(home, path(OLD)), content(OLD), 1_000);
    write(join(home, path(ID)), content(ID), 2_000);
    const place = { home, env: {}, run: runCommand };
    expect((await listSessions(adapter, place)).map(({ id }) => id)).toEqual([ID, OLD]);
    expect(await readSession(adapter, ID, place)).toEqual({
      ok: true,
      value: [
        { role: "user", text: "hello" },
        { role: "assistant", text: "hi there" },
      ],
    });
  });

  test("are none in a home without any, and an unknown one is refused", async () => {
    const place = { home: newHome(), env: {}, run: runCommand };
    expect(await listSessions(adapter, place)).toEqual([]);
    expect(await readSession(adapter, ID, place)).toMatchObject({
      ok: false,
      failure: { code: "session_not_found" },
    });
  });
});

test("a folder that was moved by a variable is looked into", async () => {
  const home = newHome();
  const said = lines({ type: "user", message: { content: "hello" } });
  write(join(home, "elsewhere/projects/-work", `${ID}.jsonl`), said, 1_000);
  const place = { home: "/nowhere", env: { CLAUDE_CONFIG_DIR: join(home, "elsewhere") }, run: runCommand };
  expect((await listSessions(BUILT_IN_ADAPTERS.claude, place)).map(({ id }) => id)).toEqual([ID]);
});

test("an id that looks like an option never reaches a command", async () => {
  const run: CommandRunner = () => Promise.reject(new Error("it was run"));
  const read = await readSession(BUILT_IN_ADAPTERS.opencode, "--help", { home: "/nowhere", env: {}, run });
  expect(read).toMatchObject({ ok: false, failure: { code: "session_not_found" } });
});

describe("OpenCode's sessions", () => {
  /** A row of its database, recorded from 1.18.33. */
  const ROW = {
    id: "ses_1",
    title: "Greeting",
    directory: "/work",
    model: '{"id":"gpt-5.2","providerID":"openai","variant":"default"}',
    updated: 1_794_989_823_414,
  };
  const listed = (answers: (argv: readonly string[]) => string | undefined) => {
    const run: CommandRunner = async (argv) => {
      const stdout = answers(argv);
      return { outcome: "exited", code: stdout === undefined ? 1 : 0, stdout: stdout ?? "", stderr: "" };
    };
    return listSessions(BUILT_IN_ADAPTERS.opencode, { home: "/nowhere", env: {}, run });
  };

  test("have title, folder, model and time, of every folder", async () => {
    expect(await listed(() => JSON.stringify([ROW]))).toEqual([
      {
        id: "ses_1",
        title: "Greeting",
        cwd: "/work",
        model: "openai/gpt-5.2",
        updatedAt: "2026-11-18T08:17:03.414Z",
      },
    ]);
  });

  test("are listed by its own command where the database is another", async () => {
    const { model: _, ...plain } = ROW;
    const sessions = await listed((argv) => (argv[1] === "session" ? JSON.stringify([plain]) : undefined));
    expect(sessions).toMatchObject([{ id: "ses_1", title: "Greeting", model: undefined }]);
  });
});

test("what a tool answered is read from Codex, too", async () => {
  const home = newHome();
  const item = (payload: object) => ({ type: "response_item", payload });
  const stored = lines(
    item({ type: "message", role: "user", content: [{ type: "input_text", text: "hello" }] }),
    item({ type: "function_call_output", call_id: "c1", output: "made" }),
    item({ type: "custom_tool_call_output", call_id: "c2", output: [{ type: "input_text", text: "done" }] }),
  );
  write(
    join(home, `.codex/sessions/2026/11/18/rollout-2026-11-18T08-00-00-${ID}.jsonl`),
    `${stored}\n`,
    1_000,
  );
  const read = await readSession(BUILT_IN_ADAPTERS.codex, ID, { home, env: {}, run: runCommand });
  expect(read).toMatchObject({
    value: [{ text: "hello" }, { role: "tool", text: "made" }, { role: "tool", text: "done" }],
  });
});

test("what a tool answered is read from Gemini, once", async () => {
  const home = newHome();
  const functionResponse = { id: "c1", name: "run_shell_command", response: { output: "sim-tool-ok" } };
  const stored = lines(
    { sessionId: ID },
    { type: "user", content: [{ text: "hello" }] },
    { type: "gemini", content: "", toolCalls: [{ id: "c1", result: [{ functionResponse }] }] },
    { type: "user", content: [{ functionResponse }] },
    { type: "gemini", content: "done" },
  );
  write(join(home, ".gemini/tmp/p/chats/session-1.jsonl"), `${stored}\n`, 1_000);
  const read = await readSession(BUILT_IN_ADAPTERS.gemini, ID, { home, env: {}, run: runCommand });
  expect(read).toMatchObject({
    value: [
      { role: "user", text: "hello" },
      { role: "tool", text: "sim-tool-ok" },
      { role: "assistant", text: "done" },
    ],
  });
});

describe("Gemini's log of a session, recorded from 0.61.0", () => {
  const header = { sessionId: ID, projectHash: "87ba", kind: "main" };
  const context = {
    id: "m0",
    type: "user",
    content: [{ text: "<session_context>\nThis is the Gemini CLI." }],
  };
  const asked = { id: "m1", type: "user", content: [{ text: "list" }] };
  const called = { id: "m2", type: "gemini", content: "I will use a tool.", thoughts: [] };
  const functionResponse = { id: "c1", name: "run_shell_command", response: { output: "sim-tool-ok" } };
  const answered = {
    ...called,
    toolCalls: [{ id: "c1", result: [{ functionResponse }], status: "success" }],
  };
  const told = { id: "m3", type: "user", content: [{ functionResponse }] };
  const done = { id: "m4", type: "gemini", content: "done", thoughts: [] };
  const turn = [header, { $set: { messages: [context] } }, asked, called, answered, told, done];
  const WORDS = ["list", "I will use a tool.", "sim-tool-ok", "done"];

  async function readLog(...records: unknown[]) {
    const home = newHome();
    write(join(home, ".gemini/tmp/p/chats/session-1.jsonl"), `${lines(...records)}\n`, 1_000);
    const place = { home, env: {}, run: runCommand };
    const read = await readSession(BUILT_IN_ADAPTERS.gemini, ID, place);
    const listed = await listSessions(BUILT_IN_ADAPTERS.gemini, place);
    return {
      texts: read.ok ? read.value.map(({ text }) => text) : read,
      titles: listed.map(({ title }) => title),
    };
  }

  test("has a message once that was written again with its tool's answer", async () => {
    expect(await readLog(...turn)).toEqual({ texts: WORDS, titles: ["list"] });
  });

  test("has what was said before a session was resumed, once", async () => {
    const resumed = [header, { $set: { messages: [context, asked, answered, told, done] } }];
    const again = { id: "m5", type: "user", content: [{ text: "again" }] };
    expect((await readLog(...resumed, again)).texts).toEqual([...WORDS, "again"]);
    expect((await readLog(...turn, ...resumed, again)).texts).toEqual([...WORDS, "again"]);
  });

  test("has nothing of what was taken back", async () => {
    const instead = { id: "m5", type: "user", content: [{ text: "instead" }] };
    expect((await readLog(...turn, { $rewindTo: "m2" }, instead)).texts).toEqual(["list", "instead"]);
    expect((await readLog(...turn, { $rewindTo: "unknown" }, instead)).texts).toEqual(["instead"]);
  });

  test("is not listed when it holds nothing but the program's own words", async () => {
    expect((await readLog(header, { $set: { messages: [context] } })).titles).toEqual([]);
  });
});

test("why a tool was denied is read from Copilot and from OpenCode", async () => {
  const home = newHome();
  const error = { message: "Permission denied", code: "denied" };
  const events = lines(
    { type: "user.message", data: { content: "write" } },
    { type: "tool.execution_complete", data: { toolCallId: "c1", success: false, error } },
  );
  write(join(home, `.copilot/session-state/${ID}/events.jsonl`), events, 1_000);
  const place = { home, env: {}, run: runCommand };
  const denied = { role: "tool", text: "Permission denied" };
  expect(await readSession(BUILT_IN_ADAPTERS.copilot, ID, place)).toMatchObject({ value: [{}, denied] });

  const parts = [{ type: "tool", tool: "bash", state: { status: "error", error: error.message } }];
  const stdout = JSON.stringify({ info: {}, messages: [{ info: { role: "assistant" }, parts }] });
  const run: CommandRunner = async () => ({ outcome: "exited", code: 0, stdout, stderr: "" });
  const read = await readSession(BUILT_IN_ADAPTERS.opencode, "ses_1", { home, env: {}, run });
  expect(read).toMatchObject({ value: [denied] });
});

test("a list that cannot be had is refused, and is not an empty one", async () => {
  const run: CommandRunner = async () => ({ outcome: "not_found", code: 127, stdout: "", stderr: "" });
  const place = { home: newHome(), env: {}, run };
  await expect(listSessions(BUILT_IN_ADAPTERS.opencode, place)).rejects.toMatchObject({
    code: "sessions_unreadable",
    message: expect.stringContaining("not installed"),
  });
  const { sessions: _, ...storeless } = BUILT_IN_ADAPTERS.claude;
  await expect(listSessions(storeless, place)).rejects.toMatchObject({
    code: "CAPABILITY_ERROR",
    capability: "sessions",
  });
  expect(await readSession(storeless, ID, place)).toMatchObject({ failure: { code: "CAPABILITY_ERROR" } });
});

test("a session in which nobody said anything is not listed", async () => {
  const home = newHome();
  write(join(home, ".gemini/tmp/p/chats/session-1.jsonl"), `{"sessionId":"${ID}"}\n`, 1_000);
  expect(await listSessions(BUILT_IN_ADAPTERS.gemini, { home, env: {}, run: runCommand })).toEqual([]);
});

test("broken lines are ignored", async () => {
  const home = newHome();
  const said = lines({ type: "user", message: { content: "hello" } });
  write(join(home, ".claude/projects/-work", `${ID}.jsonl`), `{"type":\n${said}\nnull\n`, 1_000);
  const read = await readSession(BUILT_IN_ADAPTERS.claude, ID, { home, env: {}, run: runCommand });
  expect(read).toEqual({ ok: true, value: [{ role: "user", text: "hello" }] });
});

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), "capstan-sessions-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

function write(path: string, content: string, seconds: number): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  utimesSync(path, seconds, seconds);
}
