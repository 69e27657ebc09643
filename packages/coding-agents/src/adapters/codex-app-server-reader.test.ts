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

describe("a provider that cannot be reached", () => {
  test.each([
    [
      "is said to need a login, if nobody is logged in",
      { account: null, requiresOpenaiAuth: true },
      undefined,
      true,
    ],
    [
      "is left to Codex, if somebody is",
      { account: { type: "apiKey" }, requiresOpenaiAuth: true },
      undefined,
      false,
    ],
    [
      "is left to Codex, if it needs no login",
      { account: null, requiresOpenaiAuth: false },
      undefined,
      false,
    ],
    ["that answered with a status is left to Codex", { account: null, requiresOpenaiAuth: true }, 503, false],
    ["is left to Codex, if its version does not say who is logged in", undefined, undefined, false],
  ])("%s", (_, account, status, ends) => {
    const { told, accountId } = running();
    const answer = account ? { result: account } : { error: { code: -32600, message: "unknown method" } };
    expect(told({ id: accountId, ...answer })).toEqual([]);
    const error = {
      message: "Reconnecting... 2/5",
      additionalDetails: "Name does not resolve",
      ...(status && { codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: status } } }),
    };
    const events = told({ method: "error", params: { error, willRetry: true } });
    expect(events[0]).toMatchObject({ type: "retry", attempt: 2, maxAttempts: 5 });
    const ended = {
      type: "run-ended",
      outcome: "failed",
      message: expect.stringMatching(/^Not logged in, and/),
    };
    expect(events.slice(1)).toEqual(ends ? [ended] : []);
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
  const opening = hear({ id: 99, result: {} });
  const open = opening.find(({ method }) => method === "thread/start");
  const turn = hear({ id: open?.id, result: { thread: { id: "x" } } }).find(
    ({ method }) => method === "turn/start",
  );
  hear({ id: turn?.id, result: { turn: { id: "t1" } } });
  const told = (message: object) => reader.onLine(JSON.stringify(message)).events;
  return { hear, say, told, accountId: opening.find(({ method }) => method === "account/read")?.id };
}
