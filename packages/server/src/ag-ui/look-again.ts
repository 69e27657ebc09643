/**
 * Handles a client that returns to a thread: after a broken connection, on another device, or resending a message. It
 * gets the current state and messages and then the active run from its start; the protocol has no cursor.
 */
import type { JsonValue, RunEvent } from "@capstan/core";
import { type AgUiMessage, agUiMessages } from "@capstan/core/internal";
import { type Database, type MessageRecord, type Runs, sessionSnapshot } from "@capstan/runtime";

/** A thread's current state. */
export interface Standing {
  readonly state: JsonValue;
  readonly messages: readonly AgUiMessage[];
  /** The last event included in `state`. */
  readonly last: number;
  /** The run's last event, when it is over or waits. */
  readonly ended?: RunEvent;
}

export interface LookedAt {
  readonly standing: Standing;
  /** The active run, or the one that this client's message waits for. */
  readonly runId?: string;
  /** Before the run's first event. */
  readonly after: number;
}

const PAGE = 500;
const ENDED: RunEvent = { type: "RUN_FINISHED", threadId: "", runId: "", outcome: { type: "success" } };

export interface LookAgainParts {
  readonly runs: Runs;
  readonly database: Database;
}

export async function lookAgain(
  { runs, database }: LookAgainParts,
  sessionId: string,
  messageId: string | undefined,
): Promise<LookedAt> {
  // Messages first: one stored in between is then among the run's events, and not in both.
  const messages = agUiMessages(await allMessages(runs, sessionId));
  const found = await sessionSnapshot(database, sessionId, messageId);
  const {
    state = {},
    runId = null,
    status = null,
    startSeq = null,
    last = 0,
    lastEvent = null,
  } = found ?? {};
  const standing = { state, messages, last };
  if (runId !== null && status === "queued") return { standing, runId, after: last };
  if (runId !== null && status === "running") return { standing, runId, after: (startSeq ?? 1) - 1 };
  return { standing: { ...standing, ended: lastEvent ?? ENDED }, after: last };
}

async function allMessages(runs: Runs, sessionId: string): Promise<MessageRecord[]> {
  const all: MessageRecord[] = [];
  for (let after: number | undefined = -1; after !== undefined; ) {
    const page: Awaited<ReturnType<Runs["messages"]>> = await runs.messages(sessionId, {
      after,
      limit: PAGE,
    });
    all.push(...page.items);
    after = page.nextAfter;
  }
  return all;
}

export interface Numbered {
  readonly json: string;
  readonly seq: number;
  readonly isEarlier?: boolean;
}

/** State and messages, then the run's events: what the events repeat is left out of the former, what the state already includes out of the latter. */
export async function* standingThenEvents(
  { standing, after }: Pick<LookedAt, "standing" | "after">,
  events: AsyncIterable<Numbered>,
): AsyncGenerator<{ json: string; seq?: number }> {
  const { last } = standing;
  let soFar: Numbered[] | undefined = [];
  if (after >= last) {
    yield* shown(standing, soFar);
    soFar = undefined;
  }
  for await (const event of events) {
    if (!soFar) {
      yield event;
      continue;
    }
    soFar.push(event);
    if (event.seq < last) continue;
    yield* shown(standing, soFar);
    soFar = undefined;
  }
}

export function* shown(
  { state, messages }: Standing,
  soFar: readonly Numbered[],
): Generator<{ json: string; seq?: number }> {
  const told = new Set(soFar.flatMap(({ json }) => idsIn(JSON.parse(json) as RunEvent)));
  const before = messages.filter(({ id }) => !told.has(id));
  yield { json: JSON.stringify({ type: "STATE_SNAPSHOT", snapshot: state }) };
  yield { json: JSON.stringify({ type: "MESSAGES_SNAPSHOT", messages: before }) };
  for (const event of soFar) if (!event.json.startsWith('{"type":"STATE_')) yield event;
}

function idsIn(event: RunEvent): string[] {
  const { messageId, parentMessageId } = event as { messageId?: string; parentMessageId?: string };
  return [messageId, parentMessageId].filter((id) => id !== undefined);
}
