/** Clients that logged in, and agents' tokens: who they act as, and how to end them. */
import type { ActiveToken } from "@capstan/client";
import PlugZap from "lucide-react/icons/plug-zap";
import { Badge, Code } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { ChangeFailure, Empty, Loaded } from "../../kit/states.tsx";
import { ago } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";
import { useAgents } from "../../server/reads.ts";

export function Tokens() {
  const query = useRead(["tokens"], (signal) => api.tokens.all({}, signal));
  return (
    <Loaded query={query} what="Tokens" rows={4}>
      {(items) =>
        items.length === 0 ? (
          <Empty icon={PlugZap} title="No clients">
            Add <Code>{`${location.origin}/mcp`}</Code> to an MCP client; it opens this studio to log in.
          </Empty>
        ) : (
          <ul className="flex flex-col divide-y divide-line rounded-xl border border-line bg-surface">
            {items.map((token) => (
              <li key={token.id}>
                <TokenRow token={token} />
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function TokenRow({ token }: { token: ActiveToken }) {
  const { id, name, kind, agent_id, user, scopes, receiver, created_at, last_used_at } = token;
  const revoke = useChange(() => api.tokens.revoke(id), ["tokens"]);
  const agent = useAgents().data?.items.find((each) => each.id === agent_id);
  return (
    <div className="flex flex-wrap items-center gap-3 p-4">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {name || "unnamed"}
          <Badge>{kind === "client" ? "logged in" : "token"}</Badge>
          {scopes.map((scope) => (
            <Code key={scope}>{scope}</Code>
          ))}
        </p>
        <p className="text-xs text-ink-faint">
          as {agent?.name ?? agent_id} for {user}
          {receiver !== null && `, sent to ${receiver}`}, {ago(created_at)}
          {last_used_at !== null && `, last used ${ago(last_used_at)}`}
        </p>
        <ChangeFailure error={revoke.error} />
      </div>
      <Button
        size="sm"
        look="danger"
        busy={revoke.isPending}
        doing="Revoking…"
        aria-label={`Revoke ${name}`}
        onClick={() => revoke.mutate(undefined)}
      >
        Revoke
      </Button>
    </div>
  );
}
