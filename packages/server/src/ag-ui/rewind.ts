/**
 * Edit and regenerate. Clients send the whole history, so a history that differs from the stored one shows what the user did:
 * a message with another text replaces the stored one, a new message after a shorter history drops what followed, and
 * the last message sent again, by a new run, asks for another answer.
 *
 * A client that sends only its newest message has no history to compare; its message is appended.
 */
import type { RunAgentInput } from "@ag-ui/core";
import type { SessionView } from "@capstan/runtime";
import { type Message, userText } from "./run-input.ts";

export interface StoredUserMessage {
  readonly id: string;
  readonly position: number;
  readonly text: string;
}

/** Messages from this position on are dropped and replaced by these. */
export interface Rewind {
  readonly position: number;
  readonly messages: readonly Message[];
}

export function rewindOf(
  input: Pick<RunAgentInput, "messages" | "runId">,
  stored: readonly StoredUserMessage[],
  known: SessionView["known"],
): Rewind | undefined {
  const sent = input.messages.filter(({ role }) => role === "user");
  const same = stored.findIndex(({ id, text }, at) => {
    const message = sent[at];
    return message === undefined || message.id !== id || userText(message) !== text;
  });
  const common = same < 0 ? stored.length : same;
  if (common === sent.length) return regenerate(input, stored[common - 1], known);
  const replaced = stored[common];
  if (!replaced) return undefined;
  const messages = sent.slice(common);
  const isEdit = messages[0]?.id === replaced.id;
  const isNew = messages.every(({ id }) => !stored.some((message) => message.id === id));
  return isEdit || (isNew && common > 0) ? { position: replaced.position, messages } : undefined;
}

/** Stored messages that a history leaves out, although later ones are in it: they still count. */
export function missingMessages(
  { messages }: Pick<RunAgentInput, "messages">,
  stored: readonly StoredUserMessage[],
): string[] {
  const sent = new Set(messages.map(({ id }) => id));
  const first = stored.findIndex(({ id }) => sent.has(id));
  const last = stored.findLastIndex(({ id }) => sent.has(id));
  return stored
    .slice(Math.max(first, 0), last + 1)
    .filter(({ id }) => !sent.has(id))
    .map(({ id }) => `the message "${id}" is not in this history, but the stored conversation still has it`);
}

/** The last message again, by another run than the one that answered it. */
function regenerate(
  { messages, runId }: Pick<RunAgentInput, "messages" | "runId">,
  last: StoredUserMessage | undefined,
  known: SessionView["known"],
): Rewind | undefined {
  const asked = messages.at(-1);
  if (!last || asked?.role !== "user" || asked.id !== last.id) return undefined;
  const ended = known !== null && ["done", "failed", "cancelled"].includes(known.status);
  const isRepeated = known?.clientRunId == null || known.clientRunId === runId;
  return ended && !isRepeated ? { position: last.position, messages: [asked] } : undefined;
}
