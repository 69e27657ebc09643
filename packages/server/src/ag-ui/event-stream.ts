/**
 * The events of one AG-UI answer: the client's own thread and run ids, one RUN_STARTED first, one terminal event last.
 * Stored events are AG-UI events already; only the first and the last are opened, everything between passes as text.
 */
import type { RunAgentInput } from "@ag-ui/core";
import type { RunEvent } from "@capstan/core";
import { AG_UI_VERSION } from "@capstan/core/internal";
import { type Numbered, shown, standingThenEvents } from "./look-again.ts";
import type { Answering } from "./start-run.ts";

/** One event: its JSON, and its number in the session when it is stored there. */
export interface SentEvent {
  readonly json: string;
  readonly seq?: number;
}

/** What was stored together comes together. */
export async function* answerEvents(
  input: RunAgentInput,
  answering: Answering,
): AsyncGenerator<readonly SentEvent[]> {
  const ids = { threadId: input.threadId, runId: input.runId };
  const { standing, warnings } = answering;
  yield [
    event({ type: "RUN_STARTED", ...ids, protocolVersion: AG_UI_VERSION }),
    ...warnings.map((message) => event({ type: "CUSTOM", name: "capstan.warning", value: { message } })),
  ];
  if (standing?.ended) {
    yield [...shown(standing, []), event(endedAgain(standing.ended, ids))];
    return;
  }
  for await (const batch of followed(answering)) {
    const end = batch.findIndex(({ json }) => isTerminal(json));
    const sent = (end < 0 ? batch : batch.slice(0, end + 1))
      .filter(({ json }) => !json.startsWith('{"type":"RUN_STARTED"')) // sent already, with the client's ids
      .map((each) => (isFinished(each.json) ? { ...each, json: withIds(each.json, ids) } : each));
    if (sent.length > 0) yield sent;
    if (end >= 0) return;
  }
  const message = "The connection to the run was closed. Ask again to go on.";
  yield [event({ type: "RUN_ERROR", message, code: "stream_closed" })];
}

const isFinished = (json: string): boolean => json.startsWith('{"type":"RUN_FINISHED"');
const isTerminal = (json: string): boolean => isFinished(json) || json.startsWith('{"type":"RUN_ERROR"');
const withIds = (json: string, ids: object): string => JSON.stringify({ ...JSON.parse(json), ...ids });

function followed(answering: Answering): AsyncIterable<readonly SentEvent[]> {
  const { standing, after } = answering;
  const batches = ownBatches(answering);
  return standing ? oneByOne(standingThenEvents({ standing, after }, flat(batches))) : batches;
}

/** The events of the run that answers; a session's stream holds those of other runs as well. */
async function* ownBatches({ events, runId: own }: Answering): AsyncGenerator<Numbered[]> {
  for await (const { first, runId, json } of events) {
    if (own === undefined || runId === own)
      yield json.map((text, index) => ({ json: text, seq: first + index }));
  }
}

async function* flat(batches: AsyncIterable<readonly Numbered[]>): AsyncGenerator<Numbered> {
  for await (const batch of batches) yield* batch;
}

async function* oneByOne(events: AsyncIterable<SentEvent>): AsyncGenerator<SentEvent[]> {
  for await (const each of events) yield [each];
}

/** How the run ended, told to a client that asks again: what it used was told once. */
function endedAgain(ended: RunEvent, ids: { threadId: string; runId: string }): RunEvent {
  const { usage: _, ...rest } = ended as RunEvent & { usage?: unknown };
  return ended.type === "RUN_FINISHED" ? ({ ...rest, ...ids } as RunEvent) : (rest as RunEvent);
}

const event = (value: RunEvent): SentEvent => ({ json: JSON.stringify(value) });
