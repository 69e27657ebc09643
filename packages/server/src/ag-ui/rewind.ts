/**
 * Edit and regenerate. Clients send the whole history, so a history that differs from the stored one shows what the user did:
 * a message with another text replaces the stored one, a new message after a shorter history drops what followed, and
 * the last message sent again, by a new run, asks for another answer.
 *
 * A client that sends only its newest message has no history to compare; its message is appended. What comes before the first
 * stored message, from a conversation that began elsewhere, is not compared either.
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
  const sent = sentSince(input, stored);
  const [first] = sent;
  const from = stored.findIndex(({ id }) => id === first?.message.id);
  if (!first || from < 0) return undefined;
  const rest = stored.slice(from);
  const same = rest.findIndex((message, at) => !isSame(sent[at], message));
  const common = same < 0 ? rest.length : same;
  if (common === sent.length) return regenerate(input, rest[common - 1], known);
  const replaced = rest[common];
  if (!replaced) return undefined;
  const messages = sent.slice(common).map(({ message }) => message);
  const isEdit = messages[0]?.id === replaced.id;
  const isNew = messages.every(({ id }) => !stored.some((message) => message.id === id));
  return isEdit || (isNew && common > 0) ? { position: replaced.position, messages } : undefined;
}

interface SentMessage {
  readonly message: Message;
  /** Its text, and that with the new messages right before it, which are stored as one. */
  readonly texts: readonly string[];
}

/** The user's messages from the first stored one on. */
function sentSince(
  { messages }: Pick<RunAgentInput, "messages">,
  stored: readonly StoredUserMessage[],
): SentMessage[] {
  const ids = new Set(stored.map(({ id }) => id));
  const sent: SentMessage[] = [];
  let fresh: SentMessage[] = [];
  for (const message of messages) {
    const text = userText(message);
    if (ids.has(message.id))
      sent.push({ message, texts: [text, fresh.flatMap(({ texts }) => texts).join("") + text] });
    else if (message.role === "user") fresh.push({ message, texts: [text] });
    else if (message.role === "assistant") sent.push(...fresh);
    if (message.role === "assistant" || ids.has(message.id)) fresh = [];
  }
  const from = sent.findIndex(({ message }) => ids.has(message.id));
  return from < 0 ? [] : [...sent.slice(from), ...fresh];
}

const isSame = (sent: SentMessage | undefined, { id, text }: StoredUserMessage): boolean =>
  sent?.message.id === id && sent.texts.includes(text);

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
