import History from "lucide-react/icons/history";
import { useLocation, useSearch } from "wouter";
import { Button, LinkButton } from "../../kit/button.tsx";
import { Field, Select } from "../../kit/field.tsx";
import { Panel } from "../../kit/panel.tsx";
import { Screen } from "../../kit/screen.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { useAgents } from "../../server/reads.ts";
import { SessionRow } from "../../sessions/session-row.tsx";
import { useSessionPages } from "./use-session-pages.ts";

const STATUSES = [
  ["", "All"],
  ["running", "Running"],
  ["waiting", "Waiting for approval"],
  ["failed", "Failed"],
  ["idle", "Done"],
] as const;

export default function SessionList() {
  const [, go] = useLocation();
  const asked = new URLSearchParams(useSearch()).get("status") ?? "";
  const status = STATUSES.find(([value]) => value === asked)?.[0] ?? "";
  const { query, sessions, more } = useSessionPages(status);
  const agents = useAgents().data?.items ?? [];
  return (
    <Screen title="Sessions" lead="All conversations with their traces, files and events.">
      <Field label="Status" className="w-44">
        {(control) => (
          <Select
            {...control}
            value={status}
            onChange={({ target }) => go(target.value ? `/sessions?status=${target.value}` : "/sessions")}
          >
            {STATUSES.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Panel flush>
        <div className={sessions ? undefined : "p-4"}>
          <Loaded query={query} what="Sessions" rows={8}>
            {() =>
              sessions?.length === 0 ? (
                <Empty
                  icon={History}
                  title={status === "" ? "No sessions yet" : "No sessions with this status"}
                  action={<LinkButton href="/chat">Start a chat</LinkButton>}
                />
              ) : (
                <ul className="divide-y divide-line">
                  {sessions?.map((session) => (
                    <li key={session.id} className="flex items-center">
                      <div className="min-w-0 flex-1">
                        <SessionRow session={session} agents={agents} />
                      </div>
                      <LinkButton
                        href={`/sessions/${session.id}`}
                        size="sm"
                        look="quiet"
                        className="mr-3"
                        aria-label={`Details of ${session.title || "this session"}`}
                      >
                        Details
                      </LinkButton>
                    </li>
                  ))}
                </ul>
              )
            }
          </Loaded>
        </div>
      </Panel>
      {more && (
        <div className="flex justify-center">
          <Button onClick={more}>Show more</Button>
        </div>
      )}
    </Screen>
  );
}
