/** Branches of a conversation: editing a message forks the session before it; the original stays unchanged. */
import type { Session } from "@capstan/client";
import { ok } from "@capstan/core";
import { useLocation } from "wouter";
import { currentRun } from "../../conversation/conversation.ts";
import type { UserMessage } from "../../conversation/entries.ts";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";
import { sendAgain } from "./send-message.ts";
import type { LiveSession } from "./use-session-feed.ts";

interface SaidOtherwise {
  readonly message: UserMessage;
  readonly text: string;
}

export function useBranches({ id, conversation_id }: Session, feed: LiveSession, model: string | undefined) {
  const [, go] = useLocation();
  const points = useRead(["sessions", id, "branches"], (signal) => api.sessions.branches(id, signal), {
    enabled: conversation_id !== null,
  });
  const say = useChange(
    async ({ message, text }: SaidOtherwise) => {
      if (currentRun(feed.view)) await api.sessions.cancel(id); // its answer is no longer needed
      const fork = await api.sessions.fork(id, { message_id: message.id, before: true });
      if (!fork.ok) return fork;
      const sent = await sendAgain(fork.value.id, { ...message, text }, model);
      return sent.ok ? ok(fork.value) : sent;
    },
    ["sessions", "status"],
  );
  return {
    say: (otherwise: SaidOtherwise) =>
      say.mutate(otherwise, { onSuccess: (branch) => go(`/chat/${branch.id}`) }),
    busy: say.isPending,
    at: (position: number): readonly string[] =>
      points.data?.items.find((point) => point.position === position)?.session_ids ?? [],
    error: say.error,
  };
}
