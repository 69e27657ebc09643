import type { Agent, Session } from "@capstan/client";
import { Link } from "wouter";
import { Badge, type Tone } from "../kit/badge.tsx";
import { ago, words } from "../kit/words.ts";

export const STATUS_TONES: Record<string, Tone> = { running: "accent", waiting: "warn", failed: "bad" };

/** The name of a session without a title. */
export const sessionTitle = ({ title }: Pick<Session, "title">): string => title || "New conversation";

interface SessionRowProps {
  session: Session;
  agents: readonly Agent[];
}

export function SessionRow({ session, agents }: SessionRowProps) {
  const agent = agents.find(({ id }) => id === session.agent_id);
  return (
    <Link
      href={`/chat/${session.id}`}
      className="flex items-center gap-3 px-4 py-3 -outline-offset-2 transition-colors hover:bg-sunken"
    >
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{sessionTitle(session)}</span>
        <span className="block truncate text-xs text-ink-faint">
          {agent?.name ?? (session.agent_id ? "Deleted agent" : "No agent")}
        </span>
      </span>
      {session.status !== "idle" && (
        <Badge tone={STATUS_TONES[session.status] ?? "plain"}>{words(session.status)}</Badge>
      )}
      <span className="shrink-0 text-xs text-ink-faint">{ago(session.updated_at)}</span>
    </Link>
  );
}
