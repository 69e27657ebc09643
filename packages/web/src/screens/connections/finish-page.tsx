/** The provider sent the browser back: its answer is passed on once, then removed from the address. */
import type { ConnectionFinished } from "@capstan/client";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { Code } from "../../kit/badge.tsx";
import { Screen } from "../../kit/screen.tsx";
import { ChangeFailure, Loading } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";

export function FinishPage() {
  const [answer] = useState(() => new URLSearchParams(location.search));
  const finish = useChange(() => {
    const given = (name: string) => answer.get(name) ?? undefined;
    return api.connections.finish({
      state: given("state") ?? "none",
      code: given("code"),
      error: given("error"),
      iss: given("iss"),
      at: location.pathname,
    });
  }, ["connections", "approvals", "status", "sessions"]);
  const { mutate } = finish;
  useEffect(() => {
    if (!answer.has("state")) return;
    history.replaceState(null, "", location.pathname); // a code must not stay in the history
    mutate(undefined);
  }, [answer, mutate]);
  return (
    <Screen title="Connect an account">
      {finish.data ? <Done finished={finish.data} /> : finish.error ? null : <Loading rows={2} />}
      <ChangeFailure error={finish.error} />
    </Screen>
  );
}

function Done({ finished }: { finished: ConnectionFinished }) {
  const { connection, missing_scopes, session_id } = finished;
  return (
    <div className="flex flex-col gap-3">
      <p>
        {connection.provider_name} is connected{connection.account && ` as ${connection.account}`}.
      </p>
      {missing_scopes.length > 0 && (
        <p className="text-warn">
          <Code>{missing_scopes.join(" ")}</Code> was not granted; the agent is still waiting for it.
        </p>
      )}
      <p className="flex gap-4">
        {session_id && (
          <Link href={`/chat/${session_id}`} className="text-accent-ink underline">
            Back to the conversation
          </Link>
        )}
        <Link href="/connections" className="text-accent-ink underline">
          All connections
        </Link>
      </p>
    </div>
  );
}
