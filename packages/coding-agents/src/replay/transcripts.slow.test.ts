import { runFaults } from "@capstan/core/internal";
import { expect, test } from "vitest";
import { recordingReader, TRANSCRIPTS } from "../fixtures/transcripts.ts";
import { replay } from "./replay.ts";

test.each(TRANSCRIPTS.map((transcript) => [transcript.name, transcript] as const))(
  "%s, cut at every byte, is a legal run that is not done",
  (_, { agent, text, outcome }) => {
    const bytes = Buffer.from(text.trimEnd());
    for (let length = 0; length < bytes.length; length += 1) {
      const events = replay(recordingReader(agent), bytes.subarray(0, length).toString());
      const end = events.at(-1);
      const ended = end?.type === "run-ended" ? end.outcome : "no end";
      if (runFaults(events).length > 0 || (outcome === "done" && ended !== "aborted")) {
        expect.fail(`cut at byte ${length}: ${ended}, ${runFaults(events).join("; ")}`);
      }
    }
  },
);
