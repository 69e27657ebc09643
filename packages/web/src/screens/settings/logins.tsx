/** Where people are signed in, and how to sign them out. */
import type { LoginInfo } from "@capstan/client";
import LogIn from "lucide-react/icons/log-in";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { ChangeFailure, Empty, Loaded } from "../../kit/states.tsx";
import { ago } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";

export function Logins() {
  const query = useRead(["logins"], (signal) => api.logins.all({}, signal));
  return (
    <Loaded query={query} what="Logins" rows={3}>
      {(items) =>
        items.length === 0 ? (
          <Empty icon={LogIn} title="No one is signed in">
            People sign in when this server has an OpenID provider: set CAPSTAN_OIDC_ISSUER.
          </Empty>
        ) : (
          <ul className="flex flex-col divide-y divide-line rounded-xl border border-line bg-surface">
            {items.map((login) => (
              <li key={login.id}>
                <LoginRow login={login} />
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function LoginRow({
  login: { id, kind, user, device, is_this, created_at, last_used_at },
}: {
  login: LoginInfo;
}) {
  const revoke = useChange(() => api.logins.revoke(id), ["logins", "me", "status"]);
  return (
    <div className="flex flex-wrap items-center gap-3 p-4">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {user}
          <Badge>{kind}</Badge>
          {is_this && <Badge tone="accent">this one</Badge>}
        </p>
        <p className="text-xs break-words text-ink-faint">
          {device || "unnamed"}, signed in {ago(created_at)}, last used {ago(last_used_at)}
        </p>
        <ChangeFailure error={revoke.error} />
      </div>
      <Button
        size="sm"
        look="danger"
        busy={revoke.isPending}
        doing="Signing out…"
        aria-label={`Sign out ${user}`}
        onClick={() => revoke.mutate(undefined)}
      >
        Sign out
      </Button>
    </div>
  );
}
