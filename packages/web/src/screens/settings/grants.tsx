import type { Grant } from "@capstan/client";
import { Badge, Code } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Panel } from "../../kit/panel.tsx";
import { ChangeFailure, Loaded } from "../../kit/states.tsx";
import { ago } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";

/** Granted scopes, on request or while installing: by whom, why, until when; each can be revoked. */
export function Grants() {
  const query = useRead(["grants"], (signal) => api.grants.all({}, signal));
  const agents = useRead(["agents"], (signal) => api.agents.list({}, signal)).data?.items ?? [];
  const nameOf = (subject: string) => {
    const id = subject.slice(subject.indexOf(":") + 1);
    return agents.find((agent) => agent.id === id)?.name ?? id;
  };
  return (
    <Panel title="Granted scopes" flush>
      <Loaded query={query} what="Grants" rows={2}>
        {(items) =>
          items.length === 0 ? (
            <p className="p-4 text-ink-soft">
              None yet. Scopes granted on request or during an install appear here.
            </p>
          ) : (
            <ul className="flex flex-col divide-y divide-line">
              {items.map((grant) => (
                <li key={grant.id}>
                  <GrantRow grant={grant} name={nameOf(grant.subject)} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function GrantRow({ grant, name }: { grant: Grant; name: string }) {
  const { id, subject, scope, granted_by, reason, created_at, expires_at } = grant;
  const revoke = useChange(() => api.grants.revoke(id), ["grants", "users", "preview"]);
  const facts = [`by ${granted_by} ${ago(created_at)}`, expires_at && `expires ${ago(expires_at)}`, reason];
  return (
    <div className="flex flex-wrap items-center gap-3 p-4">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2">
          <Code>{scope}</Code> to <span className="font-medium">{name}</span>
          <Badge>{subject.slice(0, subject.indexOf(":"))}</Badge>
        </p>
        <p className="text-xs text-ink-faint">{facts.filter(Boolean).join(" · ")}</p>
        <ChangeFailure error={revoke.error} />
      </div>
      <Button
        size="sm"
        look="danger"
        busy={revoke.isPending}
        doing="Revoking…"
        aria-label={`Revoke ${scope} of ${name}`}
        onClick={() => revoke.mutate(undefined)}
      >
        Revoke
      </Button>
    </div>
  );
}
