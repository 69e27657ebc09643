/** Every way to fail x every program: the code and the next step that a client gets. A program with recordings fails here until it has a row. */
import type { CodingAgentEvent, RunEnded, RunExit } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import type { BuiltInAgentName } from "../built-in/built-in-agents.ts";
import { FAULT_RECORDINGS, type FaultRecording, type FaultRecordings } from "../fixtures/fault-recordings.ts";
import { recordingReader, TRANSCRIPTS } from "../fixtures/transcripts.ts";
import { createRunLedger } from "../runner/run-ledger.ts";
import { readRecording } from "./recording.ts";

const AGENTS = Object.keys(FAULT_RECORDINGS) as (keyof typeof FAULT_RECORDINGS)[];
const exited = (code: number): RunExit => ({ code, signal: null });
const GARBAGE = "}{ \u0001 no line of any protocol";

interface Fault {
  readonly text: string;
  readonly exit: RunExit;
  readonly stderr?: string | undefined;
}
type Row = readonly [
  what: string,
  fault: (recordings: FaultRecordings) => Fault,
  code: string,
  nextStep: RegExp,
];

const recorded = (wanted: string): FaultRecording => ({
  text: TRANSCRIPTS.find(({ name }) => name === wanted)?.text ?? "",
});
const beginning = (text: string, share: number) => text.slice(0, Math.floor(text.trimEnd().length * share));
const firstLines = (text: string) => {
  const all = text.trimEnd().split("\n");
  return all.slice(0, Math.floor(all.length / 2)).join("\n");
};

const ROWS: readonly Row[] = [
  ["401", ({ refused }) => ({ ...refused, exit: exited(1) }), "coding_agent_not_logged_in", /Log '.+' in/],
  [
    "429",
    ({ limited }) => ({ ...limited, exit: exited(1) }),
    "coding_agent_rate_limited",
    /Wait and run it again/,
  ],
  [
    "404 for its model",
    ({ unknownModel }) => ({ ...unknownModel, exit: exited(1) }),
    "coding_agent_model_unknown",
    /capstan models --agent/,
  ],
  ["500", ({ down }) => ({ ...down, exit: exited(1) }), "coding_agent_provider_down", /Run it again/],
  [
    "SIGKILL",
    ({ works }) => ({ text: beginning(works, 0.5), exit: { code: null, signal: "SIGKILL" } }),
    "coding_agent_killed",
    /what killed it/,
  ],
  [
    "garbage in place of the rest",
    ({ works }) => ({ text: `${firstLines(works)}\n${GARBAGE}`, exit: exited(0) }),
    "coding_agent_protocol_broken",
    /capstan doctor/,
  ],
  [
    "a stream cut within a line",
    ({ works }) => ({ text: beginning(works, 0.6), exit: exited(0) }),
    "coding_agent_protocol_broken",
    /capstan doctor/,
  ],
  [
    "exit code 3 without a word",
    () => ({ text: "", exit: exited(3) }),
    "coding_agent_protocol_broken",
    /capstan doctor/,
  ],
];

test("every program with recordings has recorded faults", () => {
  expect(AGENTS).toEqual(expect.arrayContaining([...new Set(TRANSCRIPTS.map(({ agent }) => agent))]));
});

describe.each(ROWS)("%s", (_, faultOf, code, nextStep) => {
  test.each(AGENTS)(`is ${code} in %s, with its next step and without protocol in its words`, (agent) => {
    const end = ending(agent, faultOf(FAULT_RECORDINGS[agent]));
    expect(end).toMatchObject({ outcome: "failed", code, nextStep: expect.stringMatching(nextStep) });
    expect(end.message).not.toMatch(/[{]"/);
  });
});

/** What each program prints when it is asked to resume a session that it does not have: recordings, or what it wrote beside its protocol. */
const NO_SESSION: readonly (readonly [BuiltInAgentName, transport: string, FaultRecording])[] = [
  ["claude", "stream-json", recorded("claude-resumebad")],
  [
    "claude",
    "stream-json, with an id that is no UUID",
    {
      text: "",
      stderr: "ENOENT: no such file or directory, open '/home/user/.claude/projects/-work/nope.jsonl'",
    },
  ],
  ["codex", "app-server", recorded("codex-appserver-nosession")],
  [
    "codex",
    "exec",
    {
      text: "",
      stderr:
        "Error: thread/resume: thread/resume failed: no rollout found for thread id 99999999-1111-4111-8111-111111111111 (code -32600)",
    },
  ],
  [
    "gemini",
    "stream-json, in a folder without sessions",
    { text: "", stderr: "Error resuming session: No previous sessions found for this project." },
  ],
  [
    "gemini",
    "stream-json",
    {
      text: "",
      stderr:
        'Error resuming session: Invalid session identifier "99999999-1111-4111-8111-111111111111".\n  Searched for sessions in /home/user/.gemini/tmp/work/chats.',
    },
  ],
  [
    "copilot",
    "json",
    { text: "", stderr: "Error: No session, task, or name matched '99999999-1111-4111-8111-111111111111'." },
  ],
  ["copilot", "acp", recorded("copilot-acp-nosession")],
  ["opencode", "server", recorded("opencode-server-nosession")],
  ["pi", "rpc", { text: "", stderr: "No session found matching '99999999-1111-4111-8111-111111111111'" }],
];

test.each(NO_SESSION)("a session that %s does not have is said to be unknown (%s)", (agent, _, fault) => {
  const end = ending(agent, { ...fault, exit: exited(1) });
  expect(end).toMatchObject({
    outcome: "failed",
    code: "coding_agent_session_unknown",
    nextStep: expect.stringMatching(`capstan coding-agents sessions ${agent}`),
  });
});

test.each(AGENTS)("the recording of %s is done when nothing is taken from it", (agent) => {
  const end = ending(agent, { text: FAULT_RECORDINGS[agent].works, exit: exited(0) });
  expect(end.outcome).toBe("done");
});

/** As the runner does it: what is beside the protocol, else the last line, explains an end without a last word. */
function ending(agent: BuiltInAgentName, { text, exit, stderr }: Fault): RunEnded {
  const recording = readRecording(text);
  const reader = recordingReader(agent).read(recording.map(({ message }) => message));
  const ledger = createRunLedger(agent);
  for (const { by, line } of recording)
    ledger.take((by === "agent" ? reader.onLine(line) : reader.onSent?.(line))?.events ?? []);
  ledger.take(reader.end?.(exit) ?? []);
  const last: CodingAgentEvent | undefined = ledger.close(exit, stderr ?? recording.at(-1)?.line).at(-1);
  if (last?.type !== "run-ended") throw new Error("The run did not end.");
  return last;
}
