import { type CodingAgentEvent, codingAgentEventSchema, runFaults } from "@capstan/core/internal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { OUTCOMES } from "../fixtures/outcomes.ts";
import { recordingReader, TRANSCRIPTS, type Transcript } from "../fixtures/transcripts.ts";
import { replay } from "./replay.ts";

/**
 * OpenCode has no terminal event of its own: after a rejected tool, both that call and its step say so. Its server says what
 * failed, and then that it is idle. Copilot says that a limit was reached, and then that it is over.
 */
const ENDED_BY_TWO_LINES = ["opencode-ask", "opencode-server-err401", "copilot-autopilot"];

/** An edit reaches these as a message of its own: the recording has two turns, and the first is over before the second. */
const TWO_TURNS = ["gemini-acp-edit", "copilot-acp-edit"];

const TITLES = TRANSCRIPTS.map((transcript) => [transcript.name, transcript] as const);

test("every recording has an expected outcome, and every expectation a recording", () => {
  const expected = Object.entries(OUTCOMES).flatMap(([agent, runs]) =>
    Object.keys(runs).map((run) => `${agent}-${run}`),
  );
  expect(TRANSCRIPTS.map(({ name }) => name).toSorted()).toEqual(expected.toSorted());
});

describe.each(TITLES)("%s", (_, transcript) => {
  const lines = transcript.text.split("\n").filter((line) => line.trim() !== "");
  const outcomeOf = (kept: readonly string[]) => endOf(legal(transcript, kept.join("\n")));

  test("replays as one legal run with the right outcome", () => {
    const events = legal(transcript, transcript.text);
    expect(endOf(events)).toBe(transcript.outcome);
    expect(events.map((event) => codingAgentEventSchema.safeParse(event).error)).toEqual(
      events.map(() => undefined),
    );
  });

  test("only the loss of what ended it changes how it ended", () => {
    const decisive = lines.filter((_, index) => outcomeOf(lines.toSpliced(index, 1)) !== transcript.outcome);
    expect(decisive.length).toBeLessThanOrEqual(ENDED_BY_TWO_LINES.includes(transcript.name) ? 2 : 1);
    if (transcript.outcome === "done") expect(decisive.length).toBeGreaterThan(0);
  });

  test("a line that comes twice changes nothing about the end", () => {
    const doubled = lines.map((line, index) => outcomeOf(lines.toSpliced(index, 0, line)));
    expect(new Set(doubled)).toEqual(new Set([transcript.outcome]));
  });

  test("two neighbouring lines of the agent may change places", () => {
    const swapped = lines.slice(1).flatMap((line, index) => {
      const before = lines[index] ?? "";
      const sameSide = before.startsWith('{"dir":"c2a"') === line.startsWith('{"dir":"c2a"');
      return sameSide ? [outcomeOf(lines.toSpliced(index, 2, line, before))] : [];
    });
    expect(new Set([...swapped, transcript.outcome])).toEqual(new Set([transcript.outcome]));
  });

  test("cut anywhere before its end it is legal, and never done", () => {
    for (const text of cuts(transcript.text, 60)) {
      const outcome = endOf(legal(transcript, text));
      // A turn that is over is over: recordings of two turns may be cut between them.
      if (transcript.outcome === "done")
        expect(TWO_TURNS.includes(transcript.name) ? ["aborted", "done"] : ["aborted"]).toContain(outcome);
      if (transcript.outcome === "failed") expect(["aborted", "failed"]).toContain(outcome);
    }
  });
});

describe("whatever the input", () => {
  const allLines = TRANSCRIPTS.flatMap(({ text }) => text.split("\n")).filter((line) => line.length > 0);
  const anyLine = fc.oneof(
    fc.constantFrom(...allLines),
    fc.json(),
    fc.string(),
    fc.constantFrom(
      "",
      "{}",
      "null",
      "[]",
      '{"type":null}',
      '{"dir":"a2c"}',
      '{"dir":"c2a","msg":7}',
      '{"jsonrpc":"2.0","id":{}}',
    ),
  );
  const anyAgent = fc.constantFrom(
    ...new Set(TRANSCRIPTS.map(({ agent }) => agent)),
    "cursor" as const,
    "hermes" as const,
  );

  test("there is one start, one end, and no open tool", () => {
    fc.assert(
      fc.property(anyAgent, fc.array(anyLine, { maxLength: 40 }), (agent, lines) => {
        expect(runFaults(replay(recordingReader(agent), lines.join("\n")))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test("lines an agent never printed do not change how its run ended", () => {
    fc.assert(
      fc.property(fc.constantFrom(...TRANSCRIPTS), fc.string(), fc.nat(), (transcript, noise, at) => {
        const lines = transcript.text.split("\n");
        const noisy = lines.toSpliced(
          at % lines.length,
          0,
          `{"type":"new.in.next.version","noise":${JSON.stringify(noise)}}`,
        );
        expect(endOf(replay(recordingReader(transcript.agent), noisy.join("\n")))).toBe(transcript.outcome);
      }),
      { numRuns: 200 },
    );
  });
});

function legal(transcript: Transcript, text: string): CodingAgentEvent[] {
  const events = replay(recordingReader(transcript.agent), text);
  expect(runFaults(events)).toEqual([]);
  return events;
}

function endOf(events: readonly CodingAgentEvent[]): string {
  const end = events.at(-1);
  return end?.type === "run-ended" ? end.outcome : "no end";
}

/** Beginnings of the text, up to but without the last line's last character. The slow lane tries every byte. */
function cuts(text: string, count: number): string[] {
  const whole = text.trimEnd();
  const lineEnds = [...whole.matchAll(/\n/g)].map(({ index }) => index);
  const even = Array.from({ length: count }, (_, index) => Math.floor((whole.length * index) / count));
  return [...lineEnds, ...even, whole.length - 1].map((length) => whole.slice(0, length));
}
