import type { CodingAgentEvent } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import { recordingReader, TRANSCRIPTS } from "../fixtures/transcripts.ts";
import { readRecording } from "./recording.ts";
import { replay } from "./replay.ts";

describe("a recording is read as", () => {
  test.each<[string, string, unknown[]]>([
    ["raw lines", '{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }]],
    [
      "lines that end as on Windows, behind a byte-order mark",
      '\uFEFF{"a":1}\r\n{"a":2}\r\n',
      [{ a: 1 }, { a: 2 }],
    ],
    [
      "records of both directions",
      '{"dir":"c2a","msg":{"a":1}}\n{"dir":"a2c","msg":{"a":2}}',
      [{ a: 1 }, { a: 2 }],
    ],
    ["records of what was no JSON", '{"dir":"a2c","msg":"{\\"a\\":1}"}', [{ a: 1 }]],
    ["a list, entry by entry", '[{"a":1},\n {"a":2}]', [{ a: 1 }, { a: 2 }]],
    ["one object over many lines", '{\n  "a": {\n    "b": 1\n  }\n}\n', [{ a: { b: 1 } }]],
  ])("%s", (_, text, messages) => {
    expect(readRecording(text).map(({ message }) => message)).toEqual(messages);
  });

  test("who wrote which line", () => {
    const lines = readRecording('{"dir":"c2a","msg":{}}\n{"dir":"a2c","msg":{}}\n{}');
    expect(lines.map(({ by }) => by)).toEqual(["client", "agent", "agent"]);
  });

  test("what it is when it is cut", () => {
    expect(readRecording('[{"a":1},{"a"').map(({ message }) => message)).toEqual([undefined]);
  });
});

const ANSWER = "The sim answer is 42.";
const ANNOUNCED = `I will use a tool.${ANSWER}`;

/** What a person who reads the recording would say happened. */
describe("what happened in", () => {
  test.each<[string, string, string]>([
    ["claude-text", ANSWER, ""],
    ["claude-json", ANSWER, ""],
    ["claude-jsonverbose", ANNOUNCED, "Bash"],
    ["claude-partial-toolthink", `(thought) ${ANNOUNCED}`, "Bash"],
    ["claude-denied", ANNOUNCED, "Bash denied"],
    ["claude-control-deny", ANNOUNCED, "asked, Bash denied"],
    ["claude-control-interrupted-question", "I will use a tool.", "asked, Bash denied"],
    ["claude-maxturns", "I will use a tool.", "Bash; limit: turns"],
    ["claude-maxbudget", "I will use a tool.", "Bash interrupted; limit: cost"],
    ["claude-err401", "", "; HTTP 401"],
    ["claude-err429", "", "; HTTP 429"],
    ["claude-control-err401", "", "; HTTP 401"],
    ["codex-tool", ANSWER, "command_execution"],
    ["codex-fail", ANSWER, "command_execution failed"],
    ["codex-err429", "", "; HTTP 429"],
    ["codex-appserver-toolthink", `(thought) ${ANSWER}`, "command_execution"],
    ["codex-appserver-deny", ANSWER, "asked, command_execution denied"],
    ["codex-appserver-interrupted-question", "", "asked, command_execution interrupted"],
    ["codex-appserver-err401", "", "; HTTP 401"],
    ["gemini-tool", ANNOUNCED, "run_shell_command"],
    ["gemini-json", ANSWER, ""],
    ["gemini-maxturns", "I will use a tool.", "run_shell_command; limit: turns"],
    ["gemini-acp-deny", ANNOUNCED, "asked, run_shell_command denied"],
    ["gemini-acp-interrupted-question", "I will use a tool.", "asked, run_shell_command interrupted"],
    ["gemini-acp-cancel", "word0 ", ""],
    ["gemini-acp-terminal", ANNOUNCED, "run_shell_command"],
    ["copilot-tool", ANSWER, "bash"],
    ["copilot-fail", ANSWER, "bash failed"],
    ["copilot-denied", ANSWER, "bash denied"],
    ["copilot-autopilot", `${ANSWER}${ANSWER}`, "bash, bash; limit: turns"],
    ["copilot-acp-deny", "", "asked, execute denied"],
    ["copilot-acp-interrupted-question", "", "asked, execute interrupted"],
    ["opencode-tool", ANNOUNCED, "bash"],
    ["opencode-fail", ANSWER, "bash failed"],
    ["opencode-ask", "I will use a tool.", "bash denied"],
    ["opencode-acp-deny", "", "asked, bash denied"],
    ["pi-tool", ANSWER, "bash"],
    ["pi-err429", "", "; HTTP 429"],
    ["pi-rpc-err401", "", "; HTTP 401"],
    ["pi-rpc-followup", `${ANSWER}${ANSWER}`, "bash failed"],
    ["omp-ask", ANSWER, "bash denied"],
    ["omp-acp-deny", ANSWER, "asked, execute denied"],
    ["omp-rpc", `${ANSWER}word0 `, "bash"],
    ["openclaw-tool", ANSWER, "exec"],
    ["openclaw-local-err401", "", "; HTTP 401"],
  ])("%s is told", (name, words, rest) => {
    const transcript = TRANSCRIPTS.find((candidate) => candidate.name === name);
    if (!transcript) throw new Error(`There is no recording ${name}`);
    const events = replay(recordingReader(transcript.agent), transcript.text);
    expect([said(events), done(events)]).toEqual([words, rest]);
  });
});

test("what a call announces is not told as its output", () => {
  const terminal = TRANSCRIPTS.find(({ name }) => name === "gemini-acp-terminal");
  const events = replay(recordingReader("gemini"), terminal?.text ?? "");
  expect(events.filter(({ type }) => type === "tool-ended")).toMatchObject([{ output: "" }]);
});

function said(events: readonly CodingAgentEvent[]): string {
  const thought = events.some(({ type }) => type === "thinking-delta") ? "(thought) " : "";
  return thought + events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
}

function done(events: readonly CodingAgentEvent[]): string {
  const steps = events.flatMap((event) => {
    if (event.type === "approval-requested") return ["asked"];
    if (event.type !== "tool-ended") return [];
    const how = event.denied
      ? " denied"
      : event.interrupted
        ? " interrupted"
        : event.isError
          ? " failed"
          : "";
    return [`${event.tool}${how}`];
  });
  const end = events.at(-1);
  const why =
    end?.type !== "run-ended" ? "; no end" : end.limit ? `; limit: ${end.limit}` : status(end.status);
  return steps.join(", ") + why;
}

const status = (code: number | undefined) => (code === undefined ? "" : `; HTTP ${code}`);
