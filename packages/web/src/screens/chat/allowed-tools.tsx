import type { Session } from "@capstan/client";
import ShieldCheck from "lucide-react/icons/shield-check";
import { Code } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";

/** Tools that need no further approval in this session, with a button to revoke that. */
export function AllowedTools({ session: { id, allowed_tools } }: { session: Session }) {
  const revoke = useChange((tool: string) => api.sessions.disallow(id, { tool }), ["sessions"]);
  if (allowed_tools.length === 0) return null;
  return (
    <section aria-label="Allowed tools">
      <h2 className="mb-2 flex items-center gap-1.5 text-xs font-semibold text-ink-soft">
        <ShieldCheck className="size-4" aria-hidden />
        Allowed in this session
      </h2>
      <ul className="flex flex-col gap-1.5">
        {allowed_tools.map((tool) => (
          <li key={tool} className="flex items-center justify-between gap-2">
            <Code className="min-w-0 truncate">{tool.split("/").at(-1)}</Code>
            <Button
              size="sm"
              busy={revoke.isPending && revoke.variables === tool}
              doing="Revoking…"
              aria-label={`Ask again before ${tool}`}
              onClick={() => revoke.mutate(tool)}
            >
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      <ChangeFailure error={revoke.error} />
    </section>
  );
}
