import type { Session } from "@capstan/client";
import type { Failure } from "@capstan/core";
import PanelRight from "lucide-react/icons/panel-right";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { currentRun } from "../../conversation/conversation.ts";
import type { UserMessage } from "../../conversation/entries.ts";
import { Badge } from "../../kit/badge.tsx";
import { IconButton, LinkButton } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { useTabTitle } from "../../kit/screen.tsx";
import { ChangeFailure, FailureNote, Loading } from "../../kit/states.tsx";
import { api, failureOf } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";
import { useAgent, useSession } from "../../server/reads.ts";
import { useStatus } from "../../shell/use-status.ts";
import { sessionTitle } from "../session/session-row.tsx";
import { ChatLog } from "./chat-log.tsx";
import { Composer } from "./composer.tsx";
import { PendingApprovals } from "./pending-approvals.tsx";
import { RoomContext } from "./room-context.ts";
import { takenByRouter } from "./routing.ts";
import { RoutedMessages } from "./routing-card.tsx";
import { type Outgoing, sendAgain, sendMessage } from "./send-message.ts";
import { SidePanel } from "./side-panel.tsx";
import { useAbilities } from "./use-abilities.ts";
import { type LiveSession, useSessionFeed } from "./use-session-feed.ts";

export function ChatRoom({ sessionId }: { sessionId: string }) {
  const session = useSession(sessionId);
  useTabTitle(session.data ? sessionTitle(session.data) : "Chat");
  if (session.isError && !session.data) return <Gone failure={failureOf(session.error)} />;
  if (!session.data)
    return (
      <div className="p-8">
        <Loading rows={6} label="Loading the conversation" />
      </div>
    );
  return <OpenRoom session={session.data} />;
}

const Gone = ({ failure }: { failure: Failure }) => (
  <div className="mx-auto flex max-w-2xl flex-col items-start gap-4 p-8">
    <FailureNote failure={failure} />
    <LinkButton href="/chat">Start a new chat</LinkButton>
  </div>
);

function OpenRoom({ session }: { session: Session }) {
  const feed = useSessionFeed(session.id);
  const [aside, setAside] = useState(false);
  return (
    <div className="flex h-full min-h-0">
      <div className="flex min-w-0 flex-1 flex-col">
        <RoomHeader session={session} connection={feed.connection} onAside={() => setAside(true)} />
        <Conversation session={session} feed={feed} />
      </div>
      <aside
        aria-label="Tasks and files"
        className="scroll-quiet hidden w-72 shrink-0 overflow-y-auto border-l border-line xl:block"
      >
        <SidePanel sessionId={session.id} view={feed.view} />
      </aside>
      {aside && (
        <Dialog title="Tasks and files" onClose={() => setAside(false)}>
          <SidePanel sessionId={session.id} view={feed.view} />
        </Dialog>
      )}
    </div>
  );
}

/** The log and the composer: also what the session screen shows in its chat tab. */
export function Conversation({ session, feed }: { session: Session; feed: LiveSession }) {
  const [, go] = useLocation();
  const agent = useAgent(session.agent_id ?? undefined).data;
  const abilities = useAbilities(session.agent_id ?? undefined);
  const run = currentRun(feed.view);
  const [sent, setSent] = useState(0);
  const send = useChange((outgoing: Outgoing) => sendMessage(session.id, outgoing), ["sessions", "status"]);
  const resend = useChange((message: UserMessage) => sendAgain(session.id, message), ["sessions", "status"]);
  const stop = useChange(() => api.sessions.cancel(session.id), ["sessions", "approvals"]);
  const fork = useChange((message_id: string) => api.sessions.fork(session.id, { message_id }), ["sessions"]);
  const room = {
    sessionId: session.id,
    agentId: session.agent_id ?? undefined,
    abilities,
    fork: (messageId: string) => fork.mutate(messageId, { onSuccess: ({ id }) => go(`/chat/${id}`) }),
    retry: (runId: string) => {
      const said = feed.view.entries.find(({ kind, id }) => kind === "user" && id === runId);
      if (said?.kind !== "user" || !said.message) return;
      setSent(sent + 1);
      resend.mutate(said.message, { onSuccess: () => void feed.refresh() });
    },
    chooseModel: () => go(`/agents/${session.agent_id ?? ""}`),
  };
  return (
    <RoomContext value={room}>
      <ChatLog feed={feed} agentName={agent?.name ?? "The agent"} sent={sent}>
        <RoutedMessages sessionId={session.id} onAskAgent={(text) => send.mutate({ text, files: [] })} />
      </ChatLog>
      <div className="mx-auto w-full max-w-3xl px-4 pb-2 empty:hidden">
        <ChangeFailure error={send.error ?? resend.error ?? stop.error ?? fork.error} />
      </div>
      <PendingApprovals view={feed.view} onAnswering={() => setSent(sent + 1)} />
      {session.agent_id === null ? (
        <p className="p-4 text-center text-ink-soft">
          The agent of this conversation was deleted. You can read it but not continue it.
        </p>
      ) : (
        <Composer
          abilities={abilities}
          busy={send.isPending}
          placeholder={run ? "Queue a message" : `Message ${agent?.name ?? "the agent"}`}
          onStop={run ? () => stop.mutate(undefined) : undefined}
          onSend={async (outgoing) => {
            setSent(sent + 1);
            const taken = await takenByRouter(session.id, outgoing);
            if (!taken) await send.mutateAsync(outgoing);
            await feed.refresh();
          }}
        />
      )}
    </RoomContext>
  );
}

interface RoomHeaderProps {
  session: Session;
  connection: LiveSession["connection"];
  onAside: () => void;
}

function RoomHeader({ session, connection, onAside }: RoomHeaderProps) {
  const agent = useAgent(session.agent_id ?? undefined).data;
  const status = useStatus().data;
  const demo = agent?.model === "capstan/offline" || (agent && !agent.model && status?.model.demo);
  return (
    <header className="flex min-h-12 shrink-0 items-center gap-3 border-b border-line px-4 py-2">
      <div className="min-w-0 flex-1">
        <h1 className="truncate text-sm font-semibold">{sessionTitle(session)}</h1>
        <p className="flex flex-wrap items-center gap-1.5 text-xs text-ink-faint">
          {agent && (
            <Link href={`/agents/${agent.id}`} className="rounded-sm hover:underline">
              {agent.name}
            </Link>
          )}
          {demo && <Badge tone="warn">{status?.model.label ?? "capstan/offline (demo)"}</Badge>}
          {connection.phase === "waiting" && <Badge tone="warn">Reconnecting</Badge>}
        </p>
      </div>
      <LinkButton href={`/sessions/${session.id}`} size="sm" look="quiet">
        Details
      </LinkButton>
      <IconButton label="Tasks and files" className="xl:hidden" onClick={onAside}>
        <PanelRight className="size-4" aria-hidden />
      </IconButton>
    </header>
  );
}
