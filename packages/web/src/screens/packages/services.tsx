import type { ServiceInfo } from "@capstan/client";
import Server from "lucide-react/icons/server";
import { useState } from "react";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { Panel } from "../../kit/panel.tsx";
import { ScrollRegion } from "../../kit/scroll-region.tsx";
import { ChangeFailure, Empty, Loaded } from "../../kit/states.tsx";
import { ago, count } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";

const REFRESH_MS = 3_000;
const TONES: Record<ServiceInfo["state"], Tone> = {
  running: "good",
  starting: "accent",
  waiting: "warn",
  unhealthy: "bad",
  stopped: "plain",
};

export function Services() {
  const query = useRead(["services"], (signal) => api.services.list(signal), { everyMs: REFRESH_MS });
  const [reading, setReading] = useState<string>();
  return (
    <div className="flex flex-col gap-6">
      <Loaded query={query} what="Services" rows={4}>
        {({ items }) => (
          <>
            <StartService />
            {items.length === 0 ? (
              <Empty icon={Server} title="No background services">
                Packages of type “rt” include one. It runs alongside the server and sends triggers.
              </Empty>
            ) : (
              <ul className="flex flex-col divide-y divide-line rounded-xl border border-line bg-surface">
                {items.map((service) => (
                  <li key={service.name}>
                    <ServiceRow service={service} onLogs={() => setReading(service.name)} />
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
      {reading && <Logs name={reading} onClose={() => setReading(undefined)} />}
    </div>
  );
}

/** By the package that brought it, or by a folder with a compose file on the server's machine. */
function StartService() {
  const [wanted, setWanted] = useState("");
  const start = useChange(
    (subject: string) =>
      subject.includes("/") ? api.services.start("folder", subject) : api.services.start(subject),
    ["services"],
  );
  return (
    <Panel title="Start a service">
      <form
        className="flex flex-wrap items-start gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          start.mutate(wanted.trim(), { onSuccess: () => setWanted("") });
        }}
      >
        <TextField
          label="Package or folder"
          className="min-w-64 flex-1"
          hint="A package name, or a folder on the server with docker-compose.yml and .env. Docker is not needed."
          value={wanted}
          onChange={setWanted}
        />
        <Button
          type="submit"
          className="mt-6"
          look="primary"
          disabled={wanted.trim() === ""}
          busy={start.isPending}
          doing="Starting…"
        >
          Start
        </Button>
      </form>
      <ChangeFailure error={start.error} />
    </Panel>
  );
}

function ServiceRow({ service, onLogs }: { service: ServiceInfo; onLogs: () => void }) {
  const { name, state, restarts, since, url, user, last_exit } = service;
  const isOn = state !== "stopped";
  const change = useChange(() => (isOn ? api.services.stop(name) : api.services.start(name)), ["services"]);
  return (
    <div className="flex flex-wrap items-center gap-3 p-4">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {name}
          <Badge tone={TONES[state]}>{state}</Badge>
          {user && <Badge>{user}</Badge>}
        </p>
        <p className="text-xs text-ink-faint">
          {url}, since {ago(since)}
          {restarts > 0 && `, restarted ${count(restarts, "time")}`}
          {last_exit && `, last exit: ${last_exit}`}
        </p>
        <ChangeFailure error={change.error} />
      </div>
      <Button size="sm" aria-label={`Logs of ${name}`} onClick={onLogs}>
        Logs
      </Button>
      <Button
        size="sm"
        busy={change.isPending}
        doing={isOn ? "Stopping…" : "Starting…"}
        aria-label={`${isOn ? "Stop" : "Start"} ${name}`}
        onClick={() => change.mutate(undefined)}
      >
        {isOn ? "Stop" : "Start"}
      </Button>
    </div>
  );
}

function Logs({ name, onClose }: { name: string; onClose: () => void }) {
  const query = useRead(["services", name, "logs"], (signal) => api.services.logs(name, signal), {
    everyMs: REFRESH_MS,
  });
  return (
    <Dialog wide title={`Logs of ${name}`} onClose={onClose}>
      <Loaded query={query} what="Logs" rows={8}>
        {(text) => (
          <ScrollRegion label={`Logs of ${name}`} className="max-h-[60dvh] rounded-lg bg-sunken">
            <pre className="p-3 text-xs leading-5 whitespace-pre-wrap">{text || "No output yet."}</pre>
          </ScrollRegion>
        )}
      </Loaded>
    </Dialog>
  );
}
