/**
 * Faults that runs of the real programs once had, each from a recording of the program: edited calls, costs of resumed sessions,
 * usage of several calls, errors and retries, answers by a schema. `node tools/record-agents.ts` makes the recordings.
 */
import { type AdapterEvent, type CodingAgentEvent, runErrorCode } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import { type Asked, openedRun } from "../fixtures/opened-run.ts";
import { recordingReader, TRANSCRIPTS } from "../fixtures/transcripts.ts";
import { readRecording } from "./recording.ts";
import { replay } from "./replay.ts";

function recordingOf(name: string) {
  const found = TRANSCRIPTS.find((transcript) => transcript.name === name);
  if (!found) throw new Error(`There is no recording ${name}`);
  return found;
}
function replayed(name: string): CodingAgentEvent[] {
  const { agent, text } = recordingOf(name);
  return replay(recordingReader(agent), text);
}
const of = <Type extends CodingAgentEvent["type"]>(events: readonly CodingAgentEvent[], type: Type) =>
  events.filter((event): event is Extract<CodingAgentEvent, { type: Type }> => event.type === type);

describe("an edited approval", () => {
  test.each(["codex-appserver-edit", "gemini-acp-edit", "copilot-acp-edit", "opencode-server-edit"])(
    "denies the original call, which the question shows, and runs the changed one: %s",
    (name) => {
      const events = replayed(name);
      const inputOf = new Map(of(events, "tool-started").map(({ id, input }) => [id, JSON.stringify(input)]));
      const ended = of(events, "tool-ended").map(({ id, denied = false }) => [denied, inputOf.get(id)]);
      expect(ended).toEqual([
        [true, expect.stringContaining("touch sim-made.txt")],
        [false, expect.stringContaining("touch other-made.txt")],
      ]);
      const questions = of(events, "approval-requested").map(({ input }) => JSON.stringify(input));
      expect(questions).toEqual([expect.stringContaining("sim-made"), expect.stringContaining("other-made")]);
      expect(sentTo(name)).toContain("Make exactly this call");
    },
  );

  test("reaches Claude Code with the approval", () => {
    const lines = readRecording(recordingOf("claude-control-edit").text);
    const asked = lines.find(({ by, line }) => by === "agent" && line.includes("can_use_tool"));
    const answer = lines.find(({ by, line }) => by === "client" && line.includes('"behavior":"allow"'));
    expect(asked?.line).toContain("sim-made.txt");
    expect(answer?.line).toContain("other-made.txt");
    expect(answer?.line).not.toContain("sim-made.txt");
  });

  const sentTo = (name: string) =>
    readRecording(recordingOf(name).text)
      .filter(({ by }) => by === "client")
      .map(({ line }) => line)
      .join("\n");
});

describe("a resumed session", () => {
  /** The last line of the session's file before the recorded run, in its 2.1.325. */
  const COST_BEFORE =
    '{"type":"cost-state","sessionId":"33c6549d","totalCostUSD":0.00202,"totalAPIDuration":631,"hasUnknownModelCost":false}';

  test("costs what this run of Claude Code cost, although the program reports the whole session", () => {
    const run = openedRun("claude", { sessionId: "33c6549d" });
    run.sideFiles?.[0]?.onPast?.(COST_BEFORE);
    expect(recordingOf("claude-control-resumed").text).toContain('"total_cost_usd":0.00303');
    expect(usageIn(fed("claude-control-resumed", run))?.costUsd).toBeCloseTo(0.00101, 8);
  });

  test("says nothing of Claude Code's cost where the session's earlier cost is unknown", () => {
    const run = openedRun("claude", { sessionId: "33c6549d" });
    expect(usageIn(fed("claude-control-resumed", run))?.costUsd).toBeUndefined();
  });

  test("costs what this run of OpenCode cost, although its session reports running totals", () => {
    expect(recordingOf("opencode-server-resumed").text).toContain('"cost":0.001134');
    expect(lastUsage("opencode-server-resumed")?.costUsd).toBeCloseTo(0.000567, 8);
  });

  test.each([
    ["codex-appserver-resumed", '"inputTokens":360'],
    ["pi-rpc-resumed", ""],
  ])("counts the tokens of its own calls: %s", (name, total) => {
    expect(recordingOf(name).text).toContain(total);
    expect(lastUsage(name)).toMatchObject({ inputTokens: 80, cachedInputTokens: 40, outputTokens: 30 });
  });
});

test("every call of OpenCode's model counts, and cached tokens count apart", () => {
  expect(lastUsage("opencode-server-tool")).toMatchObject({
    inputTokens: 160,
    cachedInputTokens: 80,
    outputTokens: 60,
  });
});

describe("a provider's refusal", () => {
  test.each([
    ["claude-err401", "coding_agent_not_logged_in"],
    ["claude-control-err401", "coding_agent_not_logged_in"],
    ["claude-err429", "coding_agent_rate_limited"],
    ["claude-err500", "coding_agent_provider_down"],
    ["codex-err401", "coding_agent_not_logged_in"],
    ["codex-err429", "coding_agent_rate_limited"],
    ["codex-appserver-err401", "coding_agent_not_logged_in"],
    ["codex-appserver-err429", "coding_agent_rate_limited"],
    ["codex-appserver-err404", "coding_agent_model_unknown"],
    ["gemini-err404", "coding_agent_model_unknown"],
    ["gemini-acp-err404", "coding_agent_model_unknown"],
    ["gemini-err401", "coding_agent_not_logged_in"],
    ["gemini-err429", "coding_agent_rate_limited"],
    ["gemini-err500", "coding_agent_provider_down"],
    ["gemini-acp-err", "coding_agent_not_logged_in"],
    ["gemini-acp-err429", "coding_agent_rate_limited"],
    ["copilot-err401", "coding_agent_not_logged_in"],
    ["copilot-err500", "coding_agent_provider_down"],
    ["opencode-err401", "coding_agent_not_logged_in"],
    ["opencode-server-err401", "coding_agent_not_logged_in"],
    ["pi-err401", "coding_agent_not_logged_in"],
    ["pi-rpc-err401", "coding_agent_not_logged_in"],
    ["pi-err429", "coding_agent_rate_limited"],
    ["pi-rpc-err429", "coding_agent_rate_limited"],
    ["pi-err500", "coding_agent_provider_down"],
  ])("in %s is %s, with a next step and no protocol in its words", (name, code) => {
    const end = replayed(name).at(-1);
    expect(end).toMatchObject({ outcome: "failed", code, nextStep: expect.any(String) });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals obey must not be in a message
    expect((end as { message?: string }).message).not.toMatch(/\u001b|[{}]/);
  });

  test.each([
    ["opencode-server-err429", "coding_agent_rate_limited"],
    ["opencode-server-err500", "coding_agent_provider_down"],
    ["opencode-server-cut", "coding_agent_provider_down"],
    ["copilot-err429", "coding_agent_rate_limited"],
    ["codex-appserver-err401", "coding_agent_not_logged_in"],
    ["codex-appserver-err404", "coding_agent_model_unknown"],
    ["pi-rpc-err429", "coding_agent_rate_limited"],
    ["claude-err500", "coding_agent_provider_down"],
  ])("that the program of %s tries again is told each time, as %s", (name, code) => {
    const retries = of(replayed(name), "retry");
    expect(retries.length).toBeGreaterThan(0);
    expect(new Set(retries.map((retry) => retry.code))).toEqual(new Set([code]));
  });
});

describe("a provider that cannot be reached", () => {
  const WAITING = "Reconnecting... waiting for network";
  const WHY = "Connection failed: error sending request";

  test("is tried again by Codex without a word of its number, over both of its transports", () => {
    const run = openedRun("codex", { transport: "exec" });
    const line = JSON.stringify({ type: "error", message: `${WAITING} (${WHY})` });
    expect(run.onLine(line).events).toEqual([
      { type: "retry", message: `${WAITING} (${WHY})`, status: undefined },
    ]);
    const retries = of(replayed("codex-appserver-err401"), "retry");
    expect(retries).toMatchObject([{ attempt: 1, maxAttempts: 1, code: "coding_agent_not_logged_in" }]);
  });

  test.each([
    `${WAITING}: ${WHY}`,
    "Could not connect to local model provider at http://127.0.0.1:4010/v1.\n  Check that the service is running and the port is correct.",
    "API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)",
    "exception TypeError: fetch failed sending request",
  ])("is down: %s", (message) => {
    expect(runErrorCode({ message })).toBe("coding_agent_provider_down");
  });
});

test.each<[string, Asked]>([
  ["claude-control-structured", {}],
  ["opencode-server-structured", {}],
])("an answer by a schema is found in %s", (name, asked) => {
  const { agent } = recordingOf(name);
  expect(fed(name, openedRun(agent, asked))).toContainEqual({
    type: "structured-answer",
    value: { answer: 42 },
  });
});

test("an answer by a schema is Codex' text", () => {
  const text = of(replayed("codex-appserver-structured"), "text-delta").map((event) => event.text);
  expect(JSON.parse(text.join(""))).toEqual({ answer: 42 });
});

test("an answer of which Copilot printed only parts follows as a whole, after a warning", () => {
  const run = openedRun("copilot", {});
  const line = (type: string, data: object, id: string) =>
    run.onLine(JSON.stringify({ type, data, id })).events;
  const piece = (deltaContent: string) =>
    line("assistant.message_delta", { messageId: "m1", deltaContent }, deltaContent);
  const pieces = [...piece("one "), ...piece("four")]; // "two three " was dropped, as 1.0.102 does
  const whole = line("assistant.message", { messageId: "m1", content: "one two three four" }, "whole");
  expect([...pieces, ...whole]).toEqual([
    { type: "text-delta", text: "one " },
    { type: "text-delta", text: "four" },
    { type: "text-delta", text: "\n\n" },
    { type: "warning", code: "answer_repeated", message: expect.stringMatching("left out parts") },
    { type: "text-delta", text: "one two three four" },
  ]);
});

test("a turn that an agent cancels by itself has failed; one that a person cancelled or refused was aborted", () => {
  const ended = (name: string, without: RegExp) => {
    const { agent, text } = recordingOf(name);
    const kept = text.split("\n").filter((line) => !without.test(line));
    return replay(recordingReader(agent), kept.join("\n")).at(-1);
  };
  expect(ended("copilot-acp-cancel", /^$/)).toMatchObject({ outcome: "aborted" });
  const alone = ended("copilot-acp-cancel", /"session\/cancel"/);
  expect(alone).toMatchObject({
    outcome: "failed",
    code: "coding_agent_failed",
    nextStep: expect.any(String),
  });
});

/** The recorded lines through a run as the client opens it. */
function fed(name: string, run: ReturnType<typeof openedRun>): AdapterEvent[] {
  return readRecording(recordingOf(name).text).flatMap(({ by, line }) =>
    by === "agent" ? run.onLine(line).events : (run.onSent?.(line)?.events ?? []),
  );
}

const usageIn = (events: readonly AdapterEvent[]) => events.findLast((event) => event.type === "usage");
const lastUsage = (name: string) => usageIn(replayed(name));
