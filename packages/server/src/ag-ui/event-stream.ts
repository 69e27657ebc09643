/**
 * The events of one AG-UI answer: the client's own thread and run ids, one RUN_STARTED first, one terminal event last.
 * Stored events are AG-UI events already; only the first and the last are opened, everything between passes as text.
 */
import type { RunAgentInput } from "@ag-ui/core";
import { AG_UI_VERSION, type RunEvent } from "@capstan/core";
import { type Numbered, shown, standingThenEvents } from "./look-again.ts";
import type { Answering } from "./start-run.ts";

/** One event: its JSON, and its number in the session when it is stored there. */
export interface SentEvent {
  readonly json: string;
  readonly seq?: number;
}

export async function* answerEvents(input: RunAgentInput, answering: Answering): AsyncGenerator<SentEvent> {
  const ids = { threadId: input.threadId, runId: input.runId };
  const { standing, warnings } = answering;
  yield event({ type: "RUN_STARTED", ...ids, protocolVersion: AG_UI_VERSION });
  for (const message of warnings)
    yield event({ type: "CUSTOM", name: "capstan.warning", value: { message } });
  if (standing?.ended) {
    yield* shown(standing, []);
    yield event(endedAgain(standing.ended, ids));
    return;
  }
  for await (const { json, seq } of followed(answering)) {
    if (json.startsWith('{"type":"RUN_STARTED"')) continue; // sent already, with the client's ids
    const finished = json.startsWith('{"type":"RUN_FINISHED"');
    const text = finished ? JSON.stringify({ ...JSON.parse(json), ...ids }) : json;
    yield seq === undefined ? { json: text } : { json: text, seq };
    if (finished || json.startsWith('{"type":"RUN_ERROR"')) return;
  }
  const message = "The connection to the run was closed. Ask again to go on.";
  yield event({ type: "RUN_ERROR", message, code: "stream_closed" });
}

function followed(answering: Answering): AsyncIterable<SentEvent> {
  const { standing, after } = answering;
  const events = ownEvents(answering);
  return standing ? standingThenEvents({ standing, after }, events) : events;
}

/** The events of the run that answers; a session's stream holds those of other runs as well. */
async function* ownEvents({ events, runId: own }: Answering): AsyncGenerator<Numbered> {
  for await (const { first, runId, json } of events) {
    if (own !== undefined && runId !== own) continue;
    for (const [index, text] of json.entries()) yield { json: text, seq: first + index };
  }
}

/** How the run ended, told to a client that asks again: what it used was told once. */
function endedAgain(ended: RunEvent, ids: { threadId: string; runId: string }): RunEvent {
  const { usage: _, ...rest } = ended as RunEvent & { usage?: unknown };
  return ended.type === "RUN_FINISHED" ? ({ ...rest, ...ids } as RunEvent) : (rest as RunEvent);
}

const event = (value: RunEvent): SentEvent => ({ json: JSON.stringify(value) });
