/** What a changed rule set would have done with the calls of the last 30 days, each opened to its run. */
import type { RuleSimulation } from "@capstan/client";
import { Link } from "wouter";
import { Badge, Code, type Tone } from "../../kit/badge.tsx";
import { ago } from "../../kit/words.ts";

const GROUPS: readonly {
  key: "newly_denied" | "newly_asked" | "newly_allowed";
  label: string;
  tone: Tone;
}[] = [
  { key: "newly_allowed", label: "newly allowed", tone: "warn" },
  { key: "newly_asked", label: "newly asked for", tone: "accent" },
  { key: "newly_denied", label: "newly denied", tone: "bad" },
];
const MOST = 20;

export function RuleTrial({ trial }: { trial: RuleSimulation }) {
  const changed = GROUPS.reduce((sum, { key }) => sum + trial[key].length, 0);
  return (
    <section aria-label="Trial" className="flex flex-col gap-3 rounded-lg bg-sunken p-3">
      <p>
        Tried on {trial.calls} calls of the last 30 days{trial.truncated && " (the newest)"}:{" "}
        {changed === 0 ? "nothing would change." : ""}
      </p>
      {GROUPS.map(({ key, label, tone }) => (
        <CallList key={key} calls={trial[key]} label={label} tone={tone} />
      ))}
    </section>
  );
}

export function CallList({
  calls,
  label,
  tone,
}: {
  calls: RuleSimulation["newly_denied"];
  label: string;
  tone: Tone;
}) {
  if (calls.length === 0) return null;
  return (
    <details open={calls.length <= 5}>
      <summary>
        <Badge tone={tone}>
          {calls.length} {label}
        </Badge>
      </summary>
      <ul className="mt-2 flex flex-col gap-1 text-xs">
        {calls.slice(0, MOST).map(({ call_id, run_id, session_id, tool, input, at, after }) => (
          <li key={`${run_id} ${call_id}`} className="flex flex-wrap items-baseline gap-2">
            <Link href={`/sessions/${session_id}`} className="text-accent-ink underline">
              {ago(at)}
            </Link>
            <Code>{tool}</Code>
            <span className="min-w-0 truncate text-ink-soft" title={after.why}>
              {JSON.stringify(input).slice(0, 120)}
            </span>
          </li>
        ))}
        {calls.length > MOST && <li className="text-ink-faint">and {calls.length - MOST} more</li>}
      </ul>
    </details>
  );
}
