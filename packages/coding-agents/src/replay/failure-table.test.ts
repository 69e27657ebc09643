/** Every way to fail x every program: the code and the next step that a client gets. A new program fails here until it has a row. */
import type { CodingAgentEvent, RunEnded, RunExit } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import { BUILT_IN_ADAPTERS, type BuiltInAgentName } from "../built-in/built-in-agents.ts";
import { FAULT_RECORDINGS, type FaultRecordings } from "../fixtures/fault-recordings.ts";
import { recordingReader } from "../fixtures/transcripts.ts";
import { createRunLedger } from "../runner/run-ledger.ts";
import { readRecording } from "./recording.ts";

const AGENTS = Object.keys(BUILT_IN_ADAPTERS) as BuiltInAgentName[];
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

test("each of the ten programs has its recordings", () => {
  expect(Object.keys(FAULT_RECORDINGS).toSorted()).toEqual(AGENTS.toSorted());
});

describe.each(ROWS)("%s", (_, faultOf, code, nextStep) => {
  test.each(AGENTS)(`is ${code} in %s, with its next step and without protocol in its words`, (agent) => {
    const end = ending(agent, faultOf(FAULT_RECORDINGS[agent]));
    expect(end).toMatchObject({ outcome: "failed", code, nextStep: expect.stringMatching(nextStep) });
    expect(end.message).not.toMatch(/[{]"/);
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
