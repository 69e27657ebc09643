/** A session's default title is its first words, so that every client shows the same title. */
import { titleFromMessage } from "@capstan/core/internal";
import type { SessionStore } from "@capstan/runtime";

const MOST_KNOWN = 10_000;

export interface SessionTitles {
  /** Called after a message was accepted; only the first message costs a statement. */
  name(sessionId: string, content: string | readonly { type: string; text?: string }[]): Promise<void>;
}

export function sessionTitles(sessions: Pick<SessionStore, "nameUntitled">): SessionTitles {
  const named = new Set<string>();
  return {
    async name(sessionId, content) {
      if (named.has(sessionId)) return;
      const title = titleOf(content);
      if (title === "") return;
      await sessions.nameUntitled(sessionId, title);
      if (named.size >= MOST_KNOWN) named.clear();
      named.add(sessionId);
    },
  };
}

export const titleOf = (content: string | readonly { type: string; text?: string }[]): string =>
  titleFromMessage(typeof content === "string" ? content : textIn(content));

const textIn = (content: readonly { type: string; text?: string }[]): string =>
  content.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : [])).join(" ");
