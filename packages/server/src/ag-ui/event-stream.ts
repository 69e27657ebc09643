/**
 * The events of one AG-UI response: the client's own thread and run ids, one RUN_STARTED first, one terminal event last.
 * Stored events already are AG-UI events; only the first and the last are parsed, everything between passes as text.
 */
import type { RunAgentInput } from "@ag-ui/core";
import type { RunEvent } from "@capstan/core";
import { AG_UI_VERSION } from "@capstan/core/internal";
import { type Numbered, shown, standingThenEvents } from "./look-again.ts";
import type { Answering } from "./start-run.ts";

/** The code of the event that ends the stream of a run that continues. */
export const STREAM_CLOSED = "stream_closed";

/** One event: its JSON, and its number in the session when it is stored there. */
export interface SentEvent {
  readonly json: string;
  readonly seq?: number;
  /** Of a run resumed by the same request, before the run that answers. */
  readonly isEarlier?: boolean;
}

/** Events stored together are sent together. */
export async function* answerEvents(
  input: RunAgentInput,
  answering: Answering,
): AsyncGenerator<readonly SentEvent[]> {
  const ids = { threadId: input.threadId, runId: input.runId };
  const knowsOutcomes = input.protocolVersion !== undefined;
  const finished = (json: string): string =>
    JSON.stringify({ ...endFor(JSON.parse(json) as RunEvent, knowsOutcomes), ...ids });
  const { standing, warnings, state } = answering;
  yield [
    event({ type: "RUN_STARTED", ...ids, protocolVersion: AG_UI_VERSION, ...parentOf(input) }),
    ...warnings.map((message) => event({ type: "CUSTOM", name: "capstan.warning", value: { message } })),
    ...(state !== undefined && !standing ? [event({ type: "STATE_SNAPSHOT", snapshot: state })] : []),
  ];
  if (standing?.ended) {
    yield [...shown(standing, []), event(endFor(endedAgain(standing.ended, ids), knowsOutcomes))];
    return;
  }
  for await (const batch of followed(answering)) {
    const end = batch.findIndex(({ json, isEarlier }) => isTerminal(json) && !(isEarlier && isSuccess(json)));
    const sent = (end < 0 ? batch : batch.slice(0, end + 1))
      .filter(
        ({ json, isEarlier }) => !isStarted(json) && !(isEarlier && isFinished(json) && isSuccess(json)),
      )
      .map((each) => (isFinished(each.json) ? { ...each, json: finished(each.json) } : each));
    if (sent.length > 0) yield sent;
    if (end >= 0) return;
  }
  const message = "The connection to the run was closed. Send the request again to continue.";
  yield [event({ type: "RUN_ERROR", message, code: STREAM_CLOSED })];
}

const parentOf = ({ parentRunId }: RunAgentInput): { parentRunId?: string } =>
  parentRunId === undefined ? {} : { parentRunId };

/** Sent once, with the client's ids. */
const isStarted = (json: string): boolean => json.startsWith('{"type":"RUN_STARTED"');
/** The earlier run ended with an answer: the next one follows. */
const isSuccess = (json: string): boolean => {
  const { outcome } = JSON.parse(json) as { outcome?: { type?: string; pendingToolCallIds?: unknown } };
  return outcome?.type === "success" && outcome.pendingToolCallIds === undefined;
};
const isFinished = (json: string): boolean => json.startsWith('{"type":"RUN_FINISHED"');
const isTerminal = (json: string): boolean => isFinished(json) || json.startsWith('{"type":"RUN_ERROR"');

/**
 * Clients of the 0.0.x protocol send no `protocolVersion`. They reject an outcome other than a plain success or an
 * interrupt, and with it the whole run.
 */
function endFor(end: RunEvent, knowsOutcomes: boolean): RunEvent {
  if (knowsOutcomes || end.type !== "RUN_FINISHED" || end.outcome === undefined) return end;
  const { outcome, ...rest } = end;
  if (outcome.type === "cancelled") return rest;
  return outcome.type === "success" ? { ...rest, outcome: { type: "success" } } : end;
}

function followed(answering: Answering): AsyncIterable<readonly SentEvent[]> {
  const { standing, after } = answering;
  const batches = ownBatches(answering);
  return standing ? oneByOne(standingThenEvents({ standing, after }, flat(batches))) : batches;
}

/** The events of the run that answers; a session's stream contains other runs as well. */
async function* ownBatches({ events, runId: own, earlierRunId }: Answering): AsyncGenerator<Numbered[]> {
  for await (const { first, runId, json } of events) {
    const isEarlier = runId === earlierRunId;
    if (own === undefined || runId === own || isEarlier)
      yield json.map((text, index) => ({ json: text, seq: first + index, ...(isEarlier && { isEarlier }) }));
  }
}

async function* flat(batches: AsyncIterable<readonly Numbered[]>): AsyncGenerator<Numbered> {
  for await (const batch of batches) yield* batch;
}

async function* oneByOne(events: AsyncIterable<SentEvent>): AsyncGenerator<SentEvent[]> {
  for await (const each of events) yield [each];
}

/** How the run ended, for a client that asks again; without usage, which is reported only once. */
function endedAgain(ended: RunEvent, ids: { threadId: string; runId: string }): RunEvent {
  const { usage: _, ...rest } = ended as RunEvent & { usage?: unknown };
  return ended.type === "RUN_FINISHED" ? ({ ...rest, ...ids } as RunEvent) : (rest as RunEvent);
}

const event = (value: RunEvent): SentEvent => ({ json: JSON.stringify(value) });
