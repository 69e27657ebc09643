import type { DoctorEvent } from "@capstan/client";
import Stethoscope from "lucide-react/icons/stethoscope";
import { useRef, useState } from "react";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Panel } from "../../kit/panel.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";
import { type Finding, reportOf } from "./doctor-report.ts";

/** Checks every agent on the server's machine: installed, version, login, and whether it does what it claims. */
export function Doctor({ agents }: { agents: number }) {
  const [events, setEvents] = useState<DoctorEvent[]>([]);
  const stop = useRef<AbortController>(undefined);
  const check = useChange(() => {
    setEvents([]);
    stop.current = new AbortController();
    return api.codingAgents.doctor({
      signal: stop.current.signal,
      onEvent: (event) => setEvents((before) => [...before, event]),
    });
  }, ["coding-agents"]);
  const findings = reportOf(events);
  const button = check.isPending ? (
    <Button size="sm" onClick={() => stop.current?.abort()}>
      Stop
    </Button>
  ) : (
    <Button size="sm" onClick={() => check.mutate(undefined)}>
      <Stethoscope className="size-3.5" aria-hidden />
      Run checks
    </Button>
  );
  return (
    <Panel title="Doctor" actions={button}>
      <ChangeFailure error={stop.current?.signal.aborted ? null : check.error} />
      {findings.length === 0 ? (
        <p className="text-ink-soft">
          Checks versions and logins, and tests what each installed agent claims.
        </p>
      ) : (
        <Findings findings={findings} total={agents} />
      )}
    </Panel>
  );
}

function Findings({ findings, total }: { findings: Finding[]; total: number }) {
  const done = findings.filter(({ state }) => state === "done").length;
  return (
    <div className="flex flex-col gap-3">
      <progress
        value={done}
        max={Math.max(total, done)}
        aria-label="Agents checked"
        className="h-2 w-full overflow-hidden rounded-full [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent"
      />
      <ul className="flex flex-col gap-2" role="status">
        {findings.map(({ agent, name, tone, text, state }) => (
          <li key={agent} className="flex flex-wrap items-baseline gap-2">
            <Badge tone={state === "done" ? tone : "accent"}>{name}</Badge>
            <span className="min-w-0 flex-1 text-ink-soft">{text}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
