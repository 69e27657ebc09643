/** Which accounts are connected, with which scopes, for which agents, and what used them; and where to connect more. */
import type { ConnectionInfo, ConnectionProviderInfo } from "@capstan/client";
import PlugZap from "lucide-react/icons/plug-zap";
import { useState } from "react";
import { Link } from "wouter";
import { Badge, Code } from "../../kit/badge.tsx";
import { Button, LinkButton } from "../../kit/button.tsx";
import { Panel } from "../../kit/panel.tsx";
import { ChangeFailure, Empty, Loaded } from "../../kit/states.tsx";
import { ago, dateTime } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";

export function ConnectionList() {
  const query = useRead(["connections"], (signal) => api.connections.all({}, signal));
  return (
    <div className="flex flex-col gap-6">
      <Loaded query={query} what="Connections" rows={3}>
        {(items) =>
          items.length === 0 ? (
            <Empty
              icon={PlugZap}
              title="No connections"
              action={<LinkButton href="/capabilities">Look at capabilities</LinkButton>}
            >
              A connection lets agents act with your account at another service, such as your mail. An agent
              whose capability needs one asks for it; you can also connect one below.
            </Empty>
          ) : (
            <ul className="flex flex-col gap-4">
              {items.map((connection) => (
                <li key={connection.id}>
                  <ConnectionCard connection={connection} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Providers />
    </div>
  );
}

function ConnectionCard({ connection }: { connection: ConnectionInfo }) {
  const { id, provider_name, account, user, scopes, status, created_at, last_used_at } = connection;
  const [shown, setShown] = useState(false);
  const revoke = useChange(() => api.connections.revoke(id), ["connections"]);
  return (
    <Panel
      title={
        <>
          {provider_name} {account && <span className="font-normal text-ink-soft">{account}</span>}
        </>
      }
      actions={
        <>
          {status === "ended" && <Badge tone="warn">ended by the provider</Badge>}
          <Button size="sm" aria-expanded={shown} onClick={() => setShown(!shown)}>
            Uses
          </Button>
          <Button
            size="sm"
            look="danger"
            busy={revoke.isPending}
            doing="Revoking…"
            aria-label={`Revoke ${provider_name}`}
            onClick={() => revoke.mutate(undefined)}
          >
            Revoke
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-2 text-sm">
        <p className="flex flex-wrap gap-2">
          {scopes.map((scope) => (
            <Code key={scope}>{scope}</Code>
          ))}
        </p>
        <Consents connection={connection} />
        <p className="text-xs text-ink-faint">
          of {user}, connected {ago(created_at)},{" "}
          {last_used_at ? `last used ${ago(last_used_at)}` : "not used yet"}
        </p>
        <ChangeFailure error={revoke.error} />
        {shown && <Uses id={id} />}
      </div>
    </Panel>
  );
}

function Consents({ connection: { id, consents } }: { connection: ConnectionInfo }) {
  const disallow = useChange((agentId: string) => api.connections.disallow(id, agentId), ["connections"]);
  return (
    <ul className="flex flex-col gap-1">
      {consents.map(({ agent_id, agent_name, until }) => (
        <li key={agent_id} className="flex flex-wrap items-center gap-2">
          For {agent_name}
          {until && ` until ${dateTime(until)}`}
          <Button
            size="sm"
            look="quiet"
            disabled={disallow.isPending}
            aria-label={`Revoke for ${agent_name}`}
            onClick={() => disallow.mutate(agent_id)}
          >
            Revoke
          </Button>
        </li>
      ))}
      <ChangeFailure error={disallow.error} />
    </ul>
  );
}

function Uses({ id }: { id: string }) {
  const query = useRead(["connections", id, "uses"], (signal) => api.connections.uses(id, {}, signal));
  return (
    <Loaded query={query} what="Uses" rows={2}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="text-ink-soft">Not used yet.</p>
        ) : (
          <ul className="flex flex-col gap-1">
            {items.map(({ used_at, agent_name, tool, session_id }) => (
              <li key={used_at + tool}>
                {dateTime(used_at)}: {agent_name} for <Code>{tool}</Code>
                {session_id && (
                  <>
                    {" in "}
                    <Link href={`/chat/${session_id}`} className="text-accent-ink underline">
                      a conversation
                    </Link>
                  </>
                )}
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function Providers() {
  const query = useRead(["connection-providers"], (signal) => api.connections.providers(signal));
  return (
    <Panel title="Connect an account">
      <Loaded query={query} what="Providers" rows={2}>
        {({ items }) => {
          const ready = items.filter((each) => each.ready);
          if (ready.length > 0)
            return (
              <ul className="flex flex-wrap gap-2">
                {ready.map((provider) => (
                  <li key={provider.id}>
                    <ProviderLink provider={provider} />
                  </li>
                ))}
              </ul>
            );
          return (
            <p className="text-sm text-ink-soft">
              No provider is configured. An admin can add one with{" "}
              <Code>capstan connections provider github --client-id …</Code>
            </p>
          );
        }}
      </Loaded>
    </Panel>
  );
}

const ProviderLink = ({ provider: { id, name } }: { provider: ConnectionProviderInfo }) => (
  <Link
    href={`/connections/connect?provider=${encodeURIComponent(id)}`}
    className="text-accent-ink underline"
  >
    {name}
  </Link>
);
