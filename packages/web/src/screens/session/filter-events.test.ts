import type { SessionEvent } from "@capstan/client";
import { describe, expect, test } from "vitest";
import { filterEvents } from "./filter-events.ts";

const EVENTS: SessionEvent[] = [
  { seq: 1, event: { type: "RUN_STARTED", threadId: "s", runId: "r" } },
  { seq: 2, event: { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "High tide" } },
  { seq: 3, event: { type: "CUSTOM", name: "capstan.resumed", value: null } },
];

describe("filtering events", () => {
  test.each([
    ["nothing is asked", { group: "", text: "" }, [1, 2, 3]],
    ["a kind is asked", { group: "Runs", text: "" }, [1]],
    ["the other kinds are asked", { group: "Other", text: "" }, [3]],
    ["a text is asked, in any case", { group: "", text: "high TIDE" }, [2]],
    ["both are asked", { group: "Runs", text: "tide" }, []],
  ])("keeps what fits when %s", (_, filter, expected) => {
    expect(filterEvents(EVENTS, filter).map(({ seq }) => seq)).toEqual(expected);
  });
});
