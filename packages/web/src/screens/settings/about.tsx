import Monitor from "lucide-react/icons/monitor";
import Moon from "lucide-react/icons/moon";
import Sun from "lucide-react/icons/sun";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Toggle } from "../../kit/field.tsx";
import { Panel } from "../../kit/panel.tsx";
import { Loaded } from "../../kit/states.tsx";
import { duration } from "../../kit/words.ts";
import { useStatus } from "../../server/use-status.ts";
import { setNotifications, useNotificationState } from "../../shell/notifications.ts";
import { setTheme, type Theme, useTheme } from "../../shell/theme.ts";

export function About() {
  const query = useStatus();
  return (
    <div className="flex flex-col gap-5">
      <Appearance />
      <Notifications />
      <Panel title="This server">
        <Loaded query={query} what="Server facts" rows={4}>
          {({ version, url, data, model, uptime_seconds, notes }) => (
            <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
              <dt className="text-ink-faint">Version</dt>
              <dd>{version}</dd>
              <dt className="text-ink-faint">Address</dt>
              <dd>{url}</dd>
              <dt className="text-ink-faint">Data</dt>
              <dd>{data}</dd>
              <dt className="text-ink-faint">Model</dt>
              <dd className="flex flex-wrap gap-2">
                {model.name} {model.demo && <Badge tone="warn">demo</Badge>}
              </dd>
              <dt className="text-ink-faint">Uptime</dt>
              <dd>{duration(uptime_seconds * 1000)}</dd>
              {notes.length > 0 && <dt className="text-ink-faint">Notes</dt>}
              {notes.length > 0 && (
                <dd>
                  <ul className="flex flex-col gap-1">
                    {notes.map((note) => (
                      <li key={note}>{note}</li>
                    ))}
                  </ul>
                </dd>
              )}
            </dl>
          )}
        </Loaded>
        <p className="mt-4 flex flex-wrap gap-4">
          <a href="/docs" className="text-accent-ink underline">
            API reference
          </a>
          <a href="/openapi.json" className="text-accent-ink underline">
            OpenAPI document
          </a>
        </p>
      </Panel>
      <Panel title="Security guarantees">
        <Loaded query={query} what="Security facts" rows={4}>
          {({ security }) => (
            <ul className="flex flex-col gap-3">
              {security.map(({ what, holds, detail, next_step }) => (
                <li key={what} className="flex flex-wrap items-baseline gap-2">
                  <Badge tone={holds ? "good" : "warn"}>{holds ? "yes" : "no"}</Badge>
                  <span>
                    {what}: {detail}
                    {next_step !== undefined && <span className="block text-ink-faint">{next_step}</span>}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Panel>
    </div>
  );
}

const THEMES: [Theme, string, typeof Sun][] = [
  ["system", "System", Monitor],
  ["light", "Light", Sun],
  ["dark", "Dark", Moon],
];

function Appearance() {
  const theme = useTheme();
  return (
    <Panel title="Appearance">
      <fieldset className="flex flex-wrap gap-2">
        <legend className="sr-only">Theme</legend>
        {THEMES.map(([name, label, Icon]) => (
          <Button
            key={name}
            aria-pressed={theme === name}
            className={theme === name ? "border-accent! bg-accent-soft! text-accent-ink!" : ""}
            onClick={() => setTheme(name)}
          >
            <Icon className="size-4" aria-hidden />
            {label}
          </Button>
        ))}
      </fieldset>
    </Panel>
  );
}

const NOTES: Record<string, string> = {
  blocked: "Blocked by the browser. Allow notifications for this address in the browser's settings.",
  missing: "This browser does not support them.",
};

/** Only on request: the browser asks when they are switched on. */
function Notifications() {
  const state = useNotificationState();
  return (
    <Panel title="Desktop notifications">
      <Toggle
        label="Notify me of new approvals when this page is in the background"
        checked={state === "on"}
        disabled={state === "blocked" || state === "missing"}
        onChange={(on) => void setNotifications(on)}
      />
      {NOTES[state] && <p className="mt-2 text-xs text-ink-soft">{NOTES[state]}</p>}
    </Panel>
  );
}
