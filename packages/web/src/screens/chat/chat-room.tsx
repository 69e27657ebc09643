import type { Agent, Session } from "@capstan/client";
import type { Failure } from "@capstan/core";
import { useQueryClient } from "@tanstack/react-query";
import PanelRight from "lucide-react/icons/panel-right";
import { type ReactNode, useEffect, useState } from "react";
import { Link } from "wouter";
import { Badge } from "../../kit/badge.tsx";
import { Button, IconButton, LinkButton } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { useTabTitle } from "../../kit/screen.tsx";
import { FailureNote, Loading } from "../../kit/states.tsx";
import { failureOf } from "../../server/api.ts";
import { useAgent, useSession } from "../../server/reads.ts";
import { useStatus } from "../../server/use-status.ts";
import { sessionTitle } from "../../sessions/session-row.tsx";
import { ChangesDialog } from "./changes-dialog.tsx";
import { CompareDialog } from "./compare-dialog.tsx";
import { ContinueDialog } from "./continue-dialog.tsx";
import { Conversation } from "./conversation.tsx";
import { SidePanel } from "./side-panel.tsx";
import { useChatModel } from "./use-chat-model.ts";
import { type LiveSession, useSessionFeed } from "./use-session-feed.ts";

interface ChatRoomProps {
  sessionId: string;
  /** Opens the other conversations where there is no room beside this one. */
  others: ReactNode;
}

export function ChatRoom({ sessionId, others }: ChatRoomProps) {
  const session = useSession(sessionId);
  useTabTitle(session.data ? sessionTitle(session.data) : "Chat");
  if (session.isError && !session.data) return <Gone failure={failureOf(session.error)} />;
  if (!session.data)
    return (
      <div className="p-8">
        <Loading rows={6} label="Loading the conversation" />
      </div>
    );
  return <OpenRoom session={session.data} others={others} />;
}

const Gone = ({ failure }: { failure: Failure }) => (
  <div className="mx-auto flex max-w-2xl flex-col items-start gap-4 p-8">
    <FailureNote failure={failure} />
    <LinkButton href="/chat">Start a new chat</LinkButton>
  </div>
);

function OpenRoom({ session, others }: { session: Session; others: ReactNode }) {
  const feed = useSessionFeed(session.id);
  useFreshLists(feed);
  const [aside, setAside] = useState(false);
  return (
    <div className="flex h-full min-h-0">
      <div className="flex min-w-0 flex-1 flex-col">
        <RoomHeader
          session={session}
          others={others}
          connection={feed.connection}
          onAside={() => setAside(true)}
        />
        <Conversation session={session} feed={feed} />
      </div>
      <aside
        aria-label="Tasks and files"
        className="scroll-quiet hidden w-72 shrink-0 overflow-y-auto border-l border-line xl:block"
      >
        <SidePanel session={session} view={feed.view} />
      </aside>
      {aside && (
        <Dialog title="Tasks and files" onClose={() => setAside(false)}>
          <SidePanel session={session} view={feed.view} />
        </Dialog>
      )}
    </div>
  );
}

/** The lists of conversations show this one's status: read again when a run starts, waits or ends. */
function useFreshLists({ view }: LiveSession): void {
  const client = useQueryClient();
  const run = view.runs.at(-1);
  const state = run && `${run.id} ${run.status}`;
  useEffect(() => {
    if (state !== undefined) void client.invalidateQueries({ queryKey: ["sessions"] });
  }, [client, state]);
}

interface RoomHeaderProps {
  session: Session;
  others: ReactNode;
  connection: LiveSession["connection"];
  onAside: () => void;
}

function RoomHeader({ session, others, connection, onAside }: RoomHeaderProps) {
  const agent = useAgent(session.agent_id ?? undefined).data;
  return (
    <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2">
      {others}
      <div className="min-w-0 flex-1">
        <h1 className="truncate text-sm font-semibold">{sessionTitle(session)}</h1>
        <p className="flex flex-wrap items-center gap-1.5 text-xs text-ink-faint">
          {agent && (
            <Link href={`/agents/${agent.id}`} className="rounded-sm hover:underline">
              {agent.name}
            </Link>
          )}
          {agent && (
            <Answering
              session={session}
              agentModel={agent.model}
              harness={session.continue_in?.harness ?? agent.harness}
            />
          )}
          {session.forked_from && <Origin id={session.forked_from} />}
          {connection.phase === "waiting" && <Badge tone="warn">Reconnecting</Badge>}
        </p>
      </div>
      <div className="-mx-2 flex gap-1 max-sm:order-last max-sm:basis-full sm:mx-0">
        {agent && <ProgramButtons session={session} agent={agent} />}
        <LinkButton href={`/sessions/${session.id}`} size="sm" look="quiet">
          Details
        </LinkButton>
      </div>
      <IconButton label="Tasks and files" className="xl:hidden" onClick={onAside}>
        <PanelRight className="size-4" aria-hidden />
      </IconButton>
    </header>
  );
}

/** What a branch was made from. */
function Origin({ id }: { id: string }) {
  const origin = useSession(id);
  if (origin.isError) return <span>Branch of a deleted conversation</span>;
  return (
    <Link href={`/chat/${id}`} className="max-w-64 truncate text-accent-ink underline">
      Branch of {origin.data ? `“${sessionTitle(origin.data)}”` : "a conversation"}
    </Link>
  );
}

/** Who answers next: another program, or several side by side; and what was changed in a real folder. */
function ProgramButtons({ session, agent }: { session: Session; agent: Agent }) {
  const [open, setOpen] = useState<"continue" | "compare" | "changes">();
  const { harness, model } = agent;
  const current = session.continue_in ?? { harness, ...(model !== null && { model }) };
  const dialog = { session, current, onClose: () => setOpen(undefined) };
  return (
    <>
      {agent.folder !== null && (
        <Button size="sm" look="quiet" onClick={() => setOpen("changes")}>
          Changes
        </Button>
      )}
      <Button size="sm" look="quiet" onClick={() => setOpen("continue")}>
        Continue in
      </Button>
      <Button size="sm" look="quiet" onClick={() => setOpen("compare")}>
        Compare
      </Button>
      {open === "changes" && <ChangesDialog session={session} onClose={dialog.onClose} />}
      {open === "continue" && <ContinueDialog {...dialog} />}
      {open === "compare" && <CompareDialog {...dialog} />}
    </>
  );
}

interface AnsweringProps {
  session: Session;
  agentModel: string | null;
  harness: string;
}

/** Which model answers here: the chat's, else the agent's, else the default; or the coding agent that runs it. */
function Answering({ session, agentModel, harness }: AnsweringProps) {
  const { model } = useChatModel(session);
  const status = useStatus().data;
  if (harness !== "native") return <Badge tone="thought">{harness}</Badge>;
  const name = model ?? agentModel ?? status?.model.name;
  if (name === undefined) return null;
  if (name !== "capstan/offline") return <span className="min-w-0 truncate">{name}</span>;
  return (
    <>
      <Badge tone="warn">capstan/offline (demo)</Badge>
      <Link href="/settings/models" className="text-accent-ink underline">
        Use a real model
      </Link>
    </>
  );
}
