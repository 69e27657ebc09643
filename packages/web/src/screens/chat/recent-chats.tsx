/** Conversations next to the chat: pinned first, then by time; searched by text; renamed, pinned, archived, deleted. */
import type { Session } from "@capstan/client";
import Archive from "lucide-react/icons/archive";
import ArchiveRestore from "lucide-react/icons/archive-restore";
import GitFork from "lucide-react/icons/git-fork";
import Pencil from "lucide-react/icons/pencil";
import Pin from "lucide-react/icons/pin";
import PinOff from "lucide-react/icons/pin-off";
import Plus from "lucide-react/icons/plus";
import Trash2 from "lucide-react/icons/trash-2";
import { useDeferredValue, useState } from "react";
import { Link, useLocation } from "wouter";
import { Badge } from "../../kit/badge.tsx";
import { Button, IconButton, LinkButton } from "../../kit/button.tsx";
import { ConfirmDialog } from "../../kit/confirm-dialog.tsx";
import { cx } from "../../kit/cx.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { ChangeFailure, Loaded } from "../../kit/states.tsx";
import { ago, words } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";
import { STATUS_TONES, sessionTitle } from "../../sessions/session-row.tsx";

const REFRESH_MS = 5_000;
const SHOWN = 60;

interface RecentChatsProps {
  current: string | undefined;
  onGo?: (() => void) | undefined;
}

export function RecentChats({ current, onGo }: RecentChatsProps) {
  const [text, setText] = useState("");
  const [archived, setArchived] = useState(false);
  const searched = useDeferredValue(text.trim());
  return (
    <div className="flex h-full min-h-0 flex-col gap-2 p-3">
      <div className="flex items-center gap-2">
        <TextField
          label="Search conversations"
          hideLabel
          className="flex-1"
          type="search"
          placeholder="Search conversations"
          value={text}
          onChange={setText}
        />
        <LinkButton href="/chat" aria-label="New chat" className="px-2!">
          <Plus className="size-4" aria-hidden />
        </LinkButton>
      </div>
      <div className="scroll-quiet -mx-1 min-h-0 flex-1 overflow-y-auto px-1">
        {searched === "" ? (
          <ChatList current={current} archived={archived} onGo={onGo} />
        ) : (
          <SearchResults text={searched} current={current} onGo={onGo} />
        )}
      </div>
      {searched === "" && (
        <Button size="sm" look="quiet" className="self-start" onClick={() => setArchived(!archived)}>
          {archived ? "Back to conversations" : "Archived"}
        </Button>
      )}
    </div>
  );
}

function ChatList({ current, archived, onGo }: RecentChatsProps & { archived: boolean }) {
  const query = useRead(
    ["sessions", "recent", archived],
    (signal) => api.sessions.list({ limit: SHOWN, archived: archived ? "true" : "false" }, signal),
    { everyMs: REFRESH_MS, keepPrevious: true },
  );
  return (
    <Loaded query={query} what="Conversations" rows={5}>
      {({ items }) => {
        if (items.length === 0)
          return (
            <p className="p-2 text-ink-soft">{archived ? "Nothing archived." : "No conversations yet."}</p>
          );
        const shown = oncePerConversation(items, current);
        const pinned = shown.filter((session) => session.pinned);
        const others = shown.filter((session) => !session.pinned);
        return (
          <>
            {pinned.length > 0 && <Group title="Pinned" sessions={pinned} current={current} onGo={onGo} />}
            <Group title={archived ? "Archived" : "Recent"} sessions={others} current={current} onGo={onGo} />
          </>
        );
      }}
    </Loaded>
  );
}

/** Branches of one conversation are one row: the open one, else the newest. */
function oncePerConversation(sessions: readonly Session[], current: string | undefined): Session[] {
  const groups = Map.groupBy(sessions, ({ id, conversation_id }) => conversation_id ?? id);
  return [...groups.values()].flatMap((branches) => {
    const open = branches.find(({ id }) => id === current);
    const newest = branches.toSorted((a, b) => b.updated_at.localeCompare(a.updated_at))[0];
    return open ?? newest ?? [];
  });
}

interface GroupProps extends RecentChatsProps {
  title: string;
  sessions: readonly Session[];
}

const Group = ({ title, sessions, current, onGo }: GroupProps) => (
  <section aria-label={title} className="mb-3">
    <h2 className="px-2 py-1 text-xs font-semibold text-ink-soft">{title}</h2>
    <ul className="flex flex-col gap-0.5">
      {sessions.map((session) => (
        <li key={session.id}>
          <ChatRow session={session} isCurrent={session.id === current} onGo={onGo} />
        </li>
      ))}
    </ul>
  </section>
);

interface ChatRowProps {
  session: Session;
  isCurrent: boolean;
  onGo: (() => void) | undefined;
}

function ChatRow({ session, isCurrent, onGo }: ChatRowProps) {
  const [asking, setAsking] = useState<"rename" | "delete">();
  const [, go] = useLocation();
  const title = sessionTitle(session);
  const change = useChange(
    (patch: { pinned?: boolean; archived?: boolean }) => api.sessions.update(session.id, patch),
    ["sessions"],
  );
  return (
    <div className={cx("group/row relative rounded-lg", isCurrent ? "bg-accent-soft" : "hover:bg-sunken")}>
      <Link
        href={`/chat/${session.id}`}
        aria-current={isCurrent ? "page" : undefined}
        onClick={() => onGo?.()}
        className="block rounded-lg px-2 py-1.5 pr-2"
      >
        <span className="block truncate">{title}</span>
        <span className="flex items-center gap-1.5 text-xs text-ink-faint">
          {session.conversation_id && <GitFork className="size-3" aria-label="Has branches" role="img" />}
          {ago(session.updated_at)}
          {session.status !== "idle" && (
            <Badge tone={STATUS_TONES[session.status] ?? "plain"}>{words(session.status)}</Badge>
          )}
        </span>
      </Link>
      <div className="absolute right-1 bottom-0.5 hidden rounded-lg bg-surface shadow-raised [&_button]:h-6 [&_button]:w-6 group-focus-within/row:flex group-hover/row:flex pointer-coarse:static pointer-coarse:flex pointer-coarse:bg-transparent pointer-coarse:shadow-none">
        <IconButton
          label={`${session.pinned ? "Unpin" : "Pin"} ${title}`}
          onClick={() => change.mutate({ pinned: !session.pinned })}
        >
          {session.pinned ? (
            <PinOff className="size-3.5" aria-hidden />
          ) : (
            <Pin className="size-3.5" aria-hidden />
          )}
        </IconButton>
        <IconButton label={`Rename ${title}`} onClick={() => setAsking("rename")}>
          <Pencil className="size-3.5" aria-hidden />
        </IconButton>
        <IconButton
          label={`${session.archived ? "Restore" : "Archive"} ${title}`}
          onClick={() => change.mutate({ archived: !session.archived })}
        >
          {session.archived ? (
            <ArchiveRestore className="size-3.5" aria-hidden />
          ) : (
            <Archive className="size-3.5" aria-hidden />
          )}
        </IconButton>
        <IconButton label={`Delete ${title}`} onClick={() => setAsking("delete")}>
          <Trash2 className="size-3.5" aria-hidden />
        </IconButton>
      </div>
      <ChangeFailure error={change.error} />
      {asking === "rename" && <Rename session={session} onClose={() => setAsking(undefined)} />}
      {asking === "delete" && (
        <ConfirmDialog
          title={`Delete “${title}”?`}
          action="Delete"
          change={() => api.sessions.delete(session.id)}
          refreshes={["sessions", "status"]}
          onClose={() => setAsking(undefined)}
          onDone={() => {
            setAsking(undefined);
            if (isCurrent) go("/chat");
          }}
        >
          Its messages and files are deleted. This cannot be undone.
        </ConfirmDialog>
      )}
    </div>
  );
}

function Rename({ session, onClose }: { session: Session; onClose: () => void }) {
  const [title, setTitle] = useState(session.title);
  const rename = useChange(() => api.sessions.update(session.id, { title: title.trim() }), ["sessions"]);
  return (
    <Dialog title="Rename conversation" onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate(undefined, { onSuccess: onClose });
        }}
      >
        <TextField label="Title" autoFocus value={title} onChange={setTitle} />
        <Button
          type="submit"
          look="primary"
          className="self-end"
          busy={rename.isPending}
          doing="Renaming…"
          disabled={title.trim() === ""}
        >
          Rename
        </Button>
        <ChangeFailure error={rename.error} />
      </form>
    </Dialog>
  );
}

function SearchResults({ text, current, onGo }: RecentChatsProps & { text: string }) {
  const query = useRead(["sessions", "search", text], (signal) => api.sessions.search(text, signal), {
    keepPrevious: true,
  });
  return (
    <Loaded query={query} what="Conversations" rows={4}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="p-2 text-ink-soft">No matches for “{text}”.</p>
        ) : (
          <ul className="flex flex-col gap-0.5" aria-label="Search results">
            {items.map((found) => (
              <li key={found.id}>
                <Link
                  href={`/chat/${found.id}`}
                  aria-current={found.id === current ? "page" : undefined}
                  onClick={() => onGo?.()}
                  className="block rounded-lg px-2 py-1.5 hover:bg-sunken"
                >
                  <span className="block truncate">{found.title || "New conversation"}</span>
                  <span className="line-clamp-2 text-xs text-ink-faint">
                    <Excerpt text={found.excerpt} />
                  </span>
                  {found.archived && <Badge>archived</Badge>}
                </Link>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

/** What was searched for stands between « and ». */
const Excerpt = ({ text }: { text: string }) =>
  text.split(/(«[^»]*»)/).map((part, index) =>
    part.startsWith("«") ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text
      <mark key={index} className="rounded-sm bg-warn-soft text-warn">
        {part.slice(1, -1)}
      </mark>
    ) : (
      part
    ),
  );
