/**
 * OpenAI's clients send the whole conversation and no id. Its content identifies it: after each answer its session
 * stores a key of everything said, and a request that starts with that key continues there, with its files and state.
 */
import { conversationKeys, type Database } from "@capstan/runtime";
import { uuidv7 } from "uuidv7";
import { answeredPart, conversationKey, type Said } from "./run-input.ts";

export interface ConversationOwner {
  readonly agentId: string;
  readonly email: string;
  /** The login of a client: it continues only its own conversations. */
  readonly client?: string | undefined;
}

type Parts = { readonly database: Database };

/** The session to continue, or the id of a new one. */
export async function conversationThread(
  { database }: Parts,
  { agentId, email, client }: ConversationOwner,
  said: readonly Said[],
): Promise<string> {
  const before = answeredPart(said);
  const key = before.length === 0 ? undefined : conversationKey(before);
  const found = key && (await conversationKeys(database).find({ agentId, owner: email, client, key }));
  return found || uuidv7();
}

export async function keepConversation(
  { database }: Parts,
  sessionId: string,
  said: readonly Said[],
): Promise<void> {
  await conversationKeys(database).set(sessionId, conversationKey(said));
}
