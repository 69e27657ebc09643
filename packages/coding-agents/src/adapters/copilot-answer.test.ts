import type { AdapterEvent, AdapterRun, RunPlace } from "@capstan/core/internal";
import { expect, test } from "vitest";
import { ResultBuilder } from "../runner/run-handle.ts";
import { CANCELLED_UNASKED } from "./acp-reader.ts";
import { withStoredAnswer } from "./copilot-answer.ts";

const place = { home: "/home/x", environment: {} } as unknown as RunPlace;
const said = (text: string): AdapterEvent => ({ type: "text-delta", text });
const cancelled: AdapterEvent = { type: "run-ended", outcome: "failed", message: CANCELLED_UNASKED };
const called: AdapterEvent = { type: "tool-ended", id: "a" };
const message = (content: string, toolRequests: unknown[] = []) =>
  JSON.stringify({ type: "assistant.message", data: { content, toolRequests } });

test.each<[string, AdapterEvent[], string[], string, string]>([
  ["whose end is missing gets it", [said("one "), cancelled], [message("one two")], "done", "one two"],
  [
    "of which a part is missing is told again",
    [said("one four"), cancelled],
    [message("one two four")],
    "done",
    "one two four",
  ],
  [
    "keeps what came before a tool",
    [said("I look. "), called, said("It "), cancelled],
    [message("I look. ", [{}]), message("It works")],
    "done",
    "I look. It works",
  ],
  ["that asks for more tools has no end", [said("I "), cancelled], [message("I look", [{}])], "failed", "I "],
  ["that was not stored stays in part", [said("one "), cancelled], [], "failed", "one "],
  [
    "that was whole is left alone",
    [said("one"), { type: "run-ended", outcome: "done" }],
    [message("one two")],
    "done",
    "one",
  ],
])("an answer %s", (_, events, stored, outcome, whole) => {
  const base: AdapterRun = {
    argv: [],
    env: {},
    files: [],
    onLine: (line) => ({ events: [events[Number(line)] ?? called] }),
  };
  const run = withStoredAnswer(base, place, "s1");
  const [file] = run.sideFiles ?? [];
  expect(file?.isOurs("/home/x/.copilot/session-state/s1/events.jsonl")).toBe(true);
  const told = events.flatMap((_, index) => run.onLine(String(index)).events);
  for (const line of stored) file?.onLine(line);
  told.push(...(run.end?.({ code: 0, signal: null }) ?? []));
  const builder = new ResultBuilder();
  for (const event of told) builder.add(event as never);
  expect(builder.text).toBe(whole);
  expect(told.findLast(({ type }) => type === "run-ended")).toMatchObject({ outcome });
});
