import { describe, expect, test } from "vitest";
import { codexAppServerReader } from "./codex-app-server-reader.ts";

const TURN = { input: [{ type: "text", text: "hello" }] };

describe("a message that is sent into a running turn", () => {
  test("steers that turn", () => {
    const codex = running();
    expect(codex.say("more")).toMatchObject([{ method: "turn/steer", params: { expectedTurnId: "t1" } }]);
  });

  test("starts the next turn when the turn was already over", () => {
    const codex = running();
    const [steer] = codex.say("more");
    expect(
      codex.hear({ id: steer?.id, error: { code: -32600, message: "no active turn to steer" } }),
    ).toEqual([]);
    const sent = codex.hear({
      method: "turn/completed",
      params: { turn: { id: "t1", status: "completed" } },
    });
    expect(sent).toMatchObject([
      { method: "turn/start", params: { threadId: "x", input: [{ text: "more" }] } },
    ]);
  });

  test("is sent once", () => {
    const codex = running();
    const [steer] = codex.say("more");
    codex.hear({ id: steer?.id, result: { turnId: "t1" } });
    const sent = codex.hear({
      method: "turn/completed",
      params: { turn: { id: "t1", status: "completed" } },
    });
    expect(sent).toEqual([]);
  });
});

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
}

/** A conversation whose first turn runs. */
function running() {
  const reader = codexAppServerReader({
    before: [],
    openThread: { method: "thread/start", params: {} },
    turn: TURN,
  });
  const wrote = (lines: readonly string[] = []) => {
    for (const line of lines) reader.onSent?.(line);
    return lines.map((line) => JSON.parse(line) as Message);
  };
  const hear = (message: object) => wrote(reader.onLine(JSON.stringify(message)).send);
  const say = (text: string) => wrote(reader.command?.({ type: "send", text })?.send);
  wrote([JSON.stringify({ id: 99, method: "initialize", params: {} })]);
  const open = hear({ id: 99, result: {} }).find(({ method }) => method === "thread/start");
  const turn = hear({ id: open?.id, result: { thread: { id: "x" } } }).find(
    ({ method }) => method === "turn/start",
  );
  hear({ id: turn?.id, result: { turn: { id: "t1" } } });
  return { hear, say };
}
