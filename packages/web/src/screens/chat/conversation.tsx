/** The log and the composer: what a chat shows, and the session screen in its chat tab. */
import type { Agent, Session } from "@capstan/client";
import { useState } from "react";
import { useLocation } from "wouter";
import { currentRun } from "../../conversation/conversation.ts";
import type { UserMessage } from "../../conversation/entries.ts";
import { ChangeFailure } from "../../kit/states.tsx";
import { ModelButton } from "../../models/model-button.tsx";
import { api } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";
import { useAgent } from "../../server/reads.ts";
import { EndBranches } from "./branch-switch.tsx";
import { ChatLog } from "./chat-log.tsx";
import { Composer } from "./composer.tsx";
import { PendingApprovals } from "./pending-approvals.tsx";
import { type Room, RoomContext } from "./room-context.ts";
import { takenByRouter } from "./routing.ts";
import { RoutedMessages } from "./routing-card.tsx";
import { type Outgoing, sendAgain, sendMessage } from "./send-message.ts";
import { useAbilities } from "./use-abilities.ts";
import { useBranches } from "./use-branches.ts";
import { useChatModel } from "./use-chat-model.ts";
import type { LiveSession } from "./use-session-feed.ts";

interface ConversationProps {
  session: Session;
  feed: LiveSession;
}

export function Conversation({ session, feed }: ConversationProps) {
  const agent = useAgent(session.agent_id ?? undefined).data;
  const [choosing, setChoosing] = useState(false);
  const chat = useChat(session, feed, () => setChoosing(true));
  const name = agent?.name ?? "the agent";
  return (
    <RoomContext value={chat.room}>
      <ChatLog feed={feed} agentName={agent?.name ?? "The agent"} acted={chat.acted} stopping={chat.stopping}>
        <EndBranches view={feed.view} />
        <RoutedMessages sessionId={session.id} onAskAgent={chat.askAgent} />
      </ChatLog>
      <div className="mx-auto w-full max-w-3xl px-4 pb-2 empty:hidden">
        <ChangeFailure error={chat.error} />
      </div>
      <PendingApprovals view={feed.view} onAnswering={chat.act} />
      {session.agent_id === null ? (
        <p className="p-4 text-center text-ink-soft">
          The agent of this conversation was deleted. You can read it but not continue it.
        </p>
      ) : (
        <Composer
          draftOf={session.id}
          abilities={chat.room.abilities}
          busy={chat.sending}
          placeholder={currentRun(feed.view) ? "Queue a message" : `Message ${name}`}
          onStop={currentRun(feed.view) && !chat.stopping ? chat.stop : undefined}
          onSend={chat.send}
          model={<ChatModel session={session} agent={agent} open={choosing} onOpenChange={setChoosing} />}
        />
      )}
    </RoomContext>
  );
}

/** The actions of a chat, and their last error. */
function useChat(session: Session, feed: LiveSession, chooseModel: () => void) {
  const [, go] = useLocation();
  const { id } = session;
  const [acted, setActed] = useState(0);
  const act = () => setActed((before) => before + 1);
  const { model } = useChatModel(session);
  const changes = ["sessions", "status"];
  const send = useChange((outgoing: Outgoing) => sendMessage(id, { ...outgoing, model }), changes);
  const resend = useChange((message: UserMessage) => sendAgain(id, message, model), changes);
  const stop = useChange(() => api.sessions.cancel(id), ["sessions", "approvals"]);
  const fork = useChange((message_id: string) => api.sessions.fork(id, { message_id }), ["sessions"]);
  const branches = useBranches(session, feed, model);
  const wordsOf = (runId: string): UserMessage | undefined => {
    const said = feed.view.entries.find((entry) => entry.kind === "user" && entry.id === runId);
    return said?.kind === "user" ? said.message : undefined;
  };
  const room: Room = {
    sessionId: id,
    agentId: session.agent_id ?? undefined,
    abilities: useAbilities(session.agent_id ?? undefined),
    fork: (messageId) => fork.mutate(messageId, { onSuccess: (copy) => go(`/chat/${copy.id}`) }),
    retry: (runId) => {
      const said = wordsOf(runId);
      if (!said) return;
      act();
      resend.mutate(said, { onSuccess: () => void feed.refresh() });
    },
    chooseModel,
    edit: (message, text) => branches.say({ message, text }),
    regenerate: (runId) => {
      const message = wordsOf(runId);
      if (message) branches.say({ message, text: message.text });
    },
    branching: branches.busy,
    branchesAt: branches.at,
  };
  return {
    room,
    acted,
    act,
    askAgent: (text: string) => send.mutate({ text, files: [] }),
    sending: send.isPending,
    stop: () => stop.mutate(undefined),
    async send(outgoing: Outgoing) {
      act();
      const taken = await takenByRouter(id, outgoing);
      if (!taken) await send.mutateAsync(outgoing);
      await feed.refresh();
    },
    stopping: stop.isPending || (stop.isSuccess && stop.data.run_id === currentRun(feed.view)?.id),
    error: send.error ?? resend.error ?? stop.error ?? fork.error ?? branches.error,
  };
}

interface ChatModelProps {
  session: Session;
  agent: Agent | undefined;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

function ChatModel({ session, agent, open, onOpenChange }: ChatModelProps) {
  const { model, useModel } = useChatModel(session);
  if (agent === undefined || agent.harness !== "native") return null; // a coding agent brings its own
  return (
    <ModelButton
      className="max-w-44"
      model={model ?? agent.model ?? undefined}
      inherit={agent.model ? `The agent's model (${agent.model})` : "Default model"}
      onChoose={useModel}
      open={open}
      onOpenChange={onOpenChange}
    />
  );
}
