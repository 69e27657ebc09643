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
  write(join(home, "elsewhere/projects/-work", `${ID}.jsonl`), "{}", 1_000);
  const place = { home: "/nowhere", env: { CLAUDE_CONFIG_DIR: join(home, "elsewhere") }, run: runCommand };
  expect((await listSessions(BUILT_IN_ADAPTERS.claude, place)).map(({ id }) => id)).toEqual([ID]);
});

test("an id that looks like an option never reaches a command", async () => {
  const run: CommandRunner = () => Promise.reject(new Error("it was run"));
  const read = await readSession(BUILT_IN_ADAPTERS.opencode, "--help", { home: "/nowhere", env: {}, run });
  expect(read).toMatchObject({ ok: false, failure: { code: "session_not_found" } });
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
