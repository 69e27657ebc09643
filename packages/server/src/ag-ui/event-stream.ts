/**
 * The events of one AG-UI answer: the client's own thread and run ids, one RUN_STARTED first, one terminal event last.
 * Stored events are AG-UI events already; only the first and the last are opened, everything between passes as text.
 */
import type { RunAgentInput } from "@ag-ui/core";
import { AG_UI_VERSION, agUiMessages, type RunEvent } from "@capstan/core";
import type { SessionRecord } from "@capstan/runtime";
import type { Services } from "../services.ts";
import type { Answering } from "./start-run.ts";

const MOST_MESSAGES = 1000;

/** One event: its JSON, and its number in the session when it is stored there. */
export interface SentEvent {
  readonly json: string;
  readonly seq?: number;
}

export async function* answerEvents(
  services: Services,
  session: SessionRecord,
  input: RunAgentInput,
  answering: Answering,
): AsyncGenerator<SentEvent> {
  const ids = { threadId: input.threadId, runId: input.runId };
  yield event({ type: "RUN_STARTED", ...ids, protocolVersion: AG_UI_VERSION });
  for (const message of answering.warnings)
    yield event({ type: "CUSTOM", name: "capstan.warning", value: { message } });
  if (answering.settled) {
    yield* snapshots(services, session);
    yield event({ type: "RUN_FINISHED", ...ids, outcome: { type: "success" } });
    return;
  }
  for await (const { json, seq } of ownEvents(answering)) {
    if (json.startsWith('{"type":"RUN_STARTED"')) continue; // sent already, with the client's ids
    const finished = json.startsWith('{"type":"RUN_FINISHED"');
    yield { json: finished ? JSON.stringify({ ...JSON.parse(json), ...ids }) : json, seq };
    if (finished || json.startsWith('{"type":"RUN_ERROR"')) return;
  }
  const message = "The connection to the run was closed. Ask again to go on.";
  yield event({ type: "RUN_ERROR", message, code: "stream_closed" });
}

/** The events of the run that answers; a session's stream holds those of other runs as well. */
async function* ownEvents({ events, runId: own }: Answering): AsyncGenerator<{ json: string; seq: number }> {
  for await (const { first, runId, json } of events) {
    if (own !== undefined && runId !== own) continue;
    for (const [index, text] of json.entries()) yield { json: text, seq: first + index };
  }
}

/** State and messages as they stand, for a client that asks about a thread on which nothing runs. */
async function* snapshots({ runs, sessions }: Services, { id }: SessionRecord): AsyncGenerator<SentEvent> {
  const [session, { items }] = await Promise.all([
    sessions.get(id),
    runs.messages(id, { limit: MOST_MESSAGES }),
  ]);
  if (session.ok) yield event({ type: "STATE_SNAPSHOT", snapshot: session.value.state as never });
  yield event({ type: "MESSAGES_SNAPSHOT", messages: agUiMessages(items) });
}

const event = (value: RunEvent): SentEvent => ({ json: JSON.stringify(value) });
