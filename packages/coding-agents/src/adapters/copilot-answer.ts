/**
 * Copilot's answer from the session it stores. What comes faster than it prints is lost: over ACP it cancels the turn then,
 * although its model has answered in full; its JSON lines leave pieces out.
 */
import {
  type AdapterEvent,
  type AdapterRun,
  ANSWER_REPEATED,
  type RunPlace,
  type SideFile,
} from "@capstan/core/internal";
import { z } from "zod";
import { parseObject } from "../lines/json-line.ts";
import { CANCELLED_UNASKED } from "./acp-reader.ts";
import { textDelta } from "./deltas.ts";
import { copilotUsage } from "./session-usage.ts";

/** The missing part of an answer: its rest, or all of it again if pieces in the middle are missing. */
export function missingOf(answer: string, told: string): AdapterEvent[] {
  if (answer.startsWith(told)) return textDelta(answer.slice(told.length));
  return [
    ...textDelta("\n\n"),
    {
      type: "warning",
      code: ANSWER_REPEATED,
      message: "Copilot left out parts of its answer while it came; the whole answer follows.",
    },
    ...textDelta(answer),
  ];
}

/** The last message of a turn, complete: it asks for no more tools. */
const stored = z.object({
  type: z.literal("assistant.message"),
  data: z.object({
    content: z.string().min(1),
    toolRequests: z.array(z.unknown()).max(0),
    parentToolCallId: z.undefined().optional(),
  }),
});

/** Completes an answer that Copilot itself cancelled. `known`: the id of a resumed session. */
export function withStoredAnswer(run: AdapterRun, place: RunPlace, known: string | undefined): AdapterRun {
  let sessionId = known;
  let told = "";
  let answer: string | undefined;
  let isLost = false;
  const note = (event: AdapterEvent) => {
    if (event.type === "run-started") sessionId ??= event.sessionId;
    if (event.type === "text-delta") told += event.text;
    if (event.type === "tool-started" || event.type === "tool-ended") told = "";
    if (event.type === "run-ended") isLost = event.message === CANCELLED_UNASKED;
  };
  const file: SideFile = {
    pattern: copilotUsage.pattern(place),
    isOurs: (path) => sessionId !== undefined && copilotUsage.isOf(path, sessionId),
    onLine(line) {
      answer = stored.safeParse(parseObject(line)).data?.data.content ?? answer;
      return [];
    },
  };
  return {
    ...run,
    onLine(line) {
      const step = run.onLine(line);
      step.events.forEach(note);
      return step;
    },
    onSent(line) {
      const step = run.onSent?.(line) ?? { events: [] };
      if (step.events.some(({ type }) => type === "turn-opened")) {
        told = "";
        answer = undefined;
      }
      return step;
    },
    end(exit) {
      const ending = run.end?.(exit) ?? [];
      if (!isLost || answer === undefined) return ending;
      return [...ending, ...missingOf(answer, told), { type: "run-ended", outcome: "done", sessionId }];
    },
    sideFiles: [...(run.sideFiles ?? []), file],
  };
}
