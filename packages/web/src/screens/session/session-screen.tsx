import type { Session } from "@capstan/client";
import Download from "lucide-react/icons/download";
import { Link, useParams } from "wouter";
import { FileBrowser } from "../../files/file-browser.tsx";
import { ActionButton, LinkButton } from "../../kit/button.tsx";
import { Panel } from "../../kit/panel.tsx";
import { saveAs } from "../../kit/save-as.ts";
import { useTabTitle } from "../../kit/screen.tsx";
import { ChangeFailure, Loaded } from "../../kit/states.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { useTab } from "../../kit/use-tab.ts";
import { dateTime } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useCancellableChange } from "../../server/queries.ts";
import { useSession } from "../../server/reads.ts";
import { sessionTitle } from "../../sessions/session-row.tsx";
import { Conversation } from "../chat/conversation.tsx";
import { useFreshFiles } from "../chat/side-panel.tsx";
import { type LiveSession, useSessionFeed } from "../chat/use-session-feed.ts";
import { EventInspector } from "./event-inspector.tsx";
import { SessionLinks } from "./session-links.tsx";
import { StateView } from "./state-view.tsx";
import { Trace } from "./trace.tsx";

const TABS = [
  { name: "trace", label: "Trace" },
  { name: "chat", label: "Chat" },
  { name: "files", label: "Files" },
  { name: "events", label: "Events" },
  { name: "state", label: "State" },
] as const;
type TabName = (typeof TABS)[number]["name"];

export default function SessionScreen() {
  const { id = "" } = useParams<{ id: string }>();
  const session = useSession(id);
  useTabTitle(session.data ? sessionTitle(session.data) : "Session");
  if (session.data) return <Opened key={id} session={session.data} />;
  return (
    <div className="mx-auto max-w-5xl p-8">
      <Loaded query={session} what="Sessions" rows={6}>
        {() => null}
      </Loaded>
    </div>
  );
}

function Opened({ session }: { session: Session }) {
  const [tab, go] = useTab(`/sessions/${session.id}`, TABS);
  const feed = useSessionFeed(session.id);
  useFreshFiles(session.id, feed.view.toolResults);
  return (
    <div className="flex h-full flex-col">
      <Header session={session} />
      <div className="min-h-0 flex-1 px-4 md:px-8">
        <Tabs fill label="Session" tabs={TABS} current={tab} onChange={go}>
          <TabContent tab={tab} session={session} feed={feed} />
        </Tabs>
      </div>
    </div>
  );
}

function TabContent({ tab, session, feed }: { tab: TabName; session: Session; feed: LiveSession }) {
  if (tab === "chat")
    return (
      <div className="flex h-full flex-col">
        <Conversation session={session} feed={feed} />
      </div>
    );
  if (tab === "events") return <EventInspector events={feed.events} />;
  return (
    <div className="scroll-quiet h-full overflow-y-auto py-4">
      {tab === "files" && (
        <Panel>
          <FileBrowser sessionId={session.id} entries={feed.view.entries} />
        </Panel>
      )}
      {tab === "state" && <StateView session={session} state={feed.view.state} />}
      {tab === "trace" && <Trace sessionId={session.id} view={feed.view} />}
    </div>
  );
}

function Header({ session }: { session: Session }) {
  const { change: download, cancel } = useCancellableChange((_: undefined, signal) =>
    api.sessions.export(session.id, signal),
  );
  const save = () => download.mutate(undefined, { onSuccess: (text) => saveAs(`${session.id}.jsonl`, text) });
  return (
    <header className="flex flex-wrap items-start justify-between gap-3 px-4 pt-5 pb-3 md:px-8">
      <div className="min-w-0">
        <h1 className="text-lg font-semibold">{sessionTitle(session)}</h1>
        <p className="text-xs text-ink-faint">
          {session.owner}, {dateTime(session.created_at)}
          {session.forked_from && (
            <>
              {", branch of "}
              <Link href={`/sessions/${session.forked_from}`} className="underline">
                another session
              </Link>
            </>
          )}
        </p>
      </div>
      <div className="flex gap-2">
        <ActionButton busy={download.isPending} doing="Exporting…" onCancel={cancel} onClick={save}>
          <Download className="size-4" aria-hidden />
          Export
        </ActionButton>
        <SessionLinks session={session} />
        <LinkButton href={`/chat/${session.id}`} look="primary">
          Open chat
        </LinkButton>
      </div>
      <ChangeFailure error={download.error} />
    </header>
  );
}
