import type { JsonObject } from "@capstan/client";
import Stethoscope from "lucide-react/icons/stethoscope";
import { useRef, useState } from "react";
import { Button } from "../../kit/button.tsx";
import { Panel } from "../../kit/panel.tsx";
import { ScrollRegion } from "../../kit/scroll-region.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";

/** Looks at every agent on this machine: installed, version, login, and whether it keeps what it declares. */
export function Doctor() {
  const [lines, setLines] = useState<JsonObject[]>([]);
  const stop = useRef<AbortController>(undefined);
  const check = useChange(() => {
    setLines([]);
    stop.current = new AbortController();
    return api.codingAgents.doctor({
      signal: stop.current.signal,
      onEvent: (event) => setLines((before) => [...before, event]),
    });
  }, ["coding-agents"]);
  const button = check.isPending ? (
    <Button size="sm" onClick={() => stop.current?.abort()}>
      Stop
    </Button>
  ) : (
    <Button size="sm" onClick={() => check.mutate(undefined)}>
      <Stethoscope className="size-3.5" aria-hidden />
      Run the doctor
    </Button>
  );
  return (
    <Panel title="Doctor" actions={button}>
      <ChangeFailure error={check.error} />
      {lines.length === 0 ? (
        <p className="text-ink-soft">
          {check.isPending
            ? "Looking at the agents of this machine."
            : "Versions by running, logins by name, and a probe of what each declares."}
        </p>
      ) : (
        <ScrollRegion label="Doctor's progress" className="max-h-72 rounded-lg bg-sunken">
          <ol className="flex flex-col gap-1 p-3 text-xs">
            {lines.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines are only ever added
              <li key={index}>{lineText(line)}</li>
            ))}
          </ol>
        </ScrollRegion>
      )}
    </Panel>
  );
}

function lineText(line: JsonObject): string {
  const { agent, displayName, message, scenario, problem, nextStep, version, installed } = line;
  const who = text(displayName) ?? text(agent) ?? "";
  const what =
    text(message) ??
    text(problem) ??
    (scenario ? `probing ${String(scenario)}` : undefined) ??
    (version ? `version ${String(version)}` : undefined) ??
    (installed === false ? "is not installed" : JSON.stringify(line));
  return [who && `${who}:`, what, text(nextStep)].filter(Boolean).join(" ");
}

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
