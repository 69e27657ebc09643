import MessageSquare from "lucide-react/icons/message-square";
import Plus from "lucide-react/icons/plus";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { LinkButton } from "../../kit/button.tsx";
import { Panel } from "../../kit/panel.tsx";
import { Screen } from "../../kit/screen.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { ago, amount, count } from "../../kit/words.ts";
import { useAgents, useSessions } from "../../server/reads.ts";
import { usePendingApprovals, useStatus } from "../../server/use-status.ts";
import { SessionRow } from "../../sessions/session-row.tsx";
import { FirstSteps } from "./first-steps.tsx";

const REFRESH_MS = 5_000;
const SHOWN_SESSIONS = 8;
const SHOWN_AGENTS = 6;

export default function Home() {
  const agents = useAgents();
  const isEmpty = agents.data?.items.length === 0;
  return (
    <Screen
      title="Home"
      lead="What is running, what needs you, and recent work."
      actions={
        !isEmpty && (
          <LinkButton href="/chat" look="primary">
            <MessageSquare className="size-4" aria-hidden />
            New chat
          </LinkButton>
        )
      }
    >
      {isEmpty && <FirstSteps />}
      <Figures />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <LastSessions />
        <div className="flex flex-col gap-5">
          <Waiting />
          <YourAgents />
        </div>
      </div>
    </Screen>
  );
}

/** Four numbers at a glance; without a status from the server there are none. */
function Figures() {
  const { data } = useStatus();
  if (!data) return null;
  const { running, pending_approvals, sessions, agents } = data.counts;
  return (
    <dl className="grid grid-cols-2 gap-3 md:grid-cols-4">
      <Figure label="Running now" value={running} href="/sessions" />
      <Figure
        label="Waiting for approval"
        value={pending_approvals}
        href="/approvals"
        urgent={pending_approvals > 0}
      />
      <Figure label="Sessions" value={sessions} href="/sessions" />
      <Figure label="Agents" value={agents} href="/agents" />
    </dl>
  );
}

interface FigureProps {
  label: string;
  value: number;
  href: string;
  urgent?: boolean;
}

function Figure({ label, value, href, urgent }: FigureProps) {
  return (
    <div className="relative rounded-xl border border-line bg-surface px-4 py-3 hover:border-line-strong">
      <dt className="text-xs text-ink-soft">
        <Link href={href} className="after:absolute after:inset-0 after:rounded-xl">
          {label}
        </Link>
      </dt>
      <dd className={urgent ? "numbers text-xl font-semibold text-warn" : "numbers text-xl font-semibold"}>
        {amount(value)}
      </dd>
    </div>
  );
}

const MoreLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Link href={href} className="text-xs font-medium text-accent-ink hover:underline">
    {children}
  </Link>
);

function LastSessions() {
  const sessions = useSessions(REFRESH_MS);
  const agents = useAgents().data?.items ?? [];
  return (
    <Panel title="Recent sessions" actions={<MoreLink href="/sessions">All sessions</MoreLink>} flush>
      <div className={sessions.data ? undefined : "p-4"}>
        <Loaded query={sessions} what="Sessions" rows={5}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty icon={MessageSquare} title="No conversations yet">
                Your chats will appear here.
              </Empty>
            ) : (
              <ul className="divide-y divide-line">
                {items.slice(0, SHOWN_SESSIONS).map((session) => (
                  <li key={session.id}>
                    <SessionRow session={session} agents={agents} />
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
    </Panel>
  );
}

function Waiting() {
  const approvals = usePendingApprovals();
  return (
    <Panel title="Waiting for approval" actions={<MoreLink href="/approvals">Inbox</MoreLink>} flush>
      <div className={approvals.data ? undefined : "p-4"}>
        <Loaded query={approvals} what="Approvals" rows={2}>
          {({ items }) =>
            items.length === 0 ? (
              <p className="px-4 py-5 text-ink-soft">All caught up</p>
            ) : (
              <ul className="divide-y divide-line">
                {items.slice(0, 4).map((approval) => (
                  <li key={approval.id}>
                    <Link
                      href="/approvals"
                      className="flex items-center gap-3 px-4 py-3 -outline-offset-2 hover:bg-sunken"
                    >
                      <span className="min-w-0 flex-1">
                        <span className="block truncate font-medium">{approval.tool ?? approval.kind}</span>
                        <span className="block truncate text-xs text-ink-faint">{approval.agent_name}</span>
                      </span>
                      <span className="text-xs text-ink-faint">{ago(approval.created_at)}</span>
                    </Link>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
    </Panel>
  );
}

function YourAgents() {
  const agents = useAgents();
  const newAgent = (
    <LinkButton href="/agents/new" size="sm">
      <Plus className="size-3.5" aria-hidden />
      New
    </LinkButton>
  );
  return (
    <Panel title="Agents" actions={newAgent} flush>
      <div className={agents.data ? undefined : "p-4"}>
        <Loaded query={agents} what="Agents" rows={2}>
          {({ items }) =>
            items.length === 0 ? (
              <p className="px-4 py-5 text-ink-soft">No agents yet.</p>
            ) : (
              <ul className="divide-y divide-line">
                {items.slice(0, SHOWN_AGENTS).map(({ id, name, capabilities }) => (
                  <li key={id} className="flex items-center gap-2 px-4 py-2.5">
                    <Link
                      href={`/agents/${id}`}
                      className="min-w-0 flex-1 truncate rounded-sm font-medium hover:underline"
                    >
                      {name}
                      <span className="block text-xs font-normal text-ink-faint">
                        {count(capabilities.length, "capability", "capabilities")}
                      </span>
                    </Link>
                    <LinkButton href={`/chat?agent=${id}`} size="sm" aria-label={`Chat with ${name}`}>
                      Chat
                    </LinkButton>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
    </Panel>
  );
}
