import Check from "lucide-react/icons/check";
import ChevronRight from "lucide-react/icons/chevron-right";
import CircleDashed from "lucide-react/icons/circle-dashed";
import CircleX from "lucide-react/icons/circle-x";
import Hand from "lucide-react/icons/hand";
import type { ComponentType } from "react";
import type { ToolEntry } from "../../conversation/entries.ts";
import { failureIn, parsed } from "../../conversation/tool-result.ts";
import { CallArguments } from "../../forms/call-arguments.tsx";
import { Badge } from "../../kit/badge.tsx";
import { cx } from "../../kit/cx.ts";
import { JsonView } from "../../kit/json-view.tsx";
import { WholeOutput } from "../../kit/whole-output.tsx";
import { duration } from "../../kit/words.ts";

type State = "preparing" | "running" | "waiting" | "done" | "failed";

type IconProps = { className?: string; role?: string; "aria-label"?: string };

const LOOKS: Record<State, { icon: ComponentType<IconProps>; color: string; label: string }> = {
  preparing: { icon: CircleDashed, color: "text-ink-faint", label: "Preparing" },
  running: { icon: CircleDashed, color: "text-accent-ink", label: "Running" },
  waiting: { icon: Hand, color: "text-warn", label: "Waiting for approval" },
  done: { icon: Check, color: "text-good", label: "Done" },
  failed: { icon: CircleX, color: "text-bad", label: "Failed" },
};

export function stateOf({ ready, result, interrupt }: ToolEntry): State {
  if (result) return result.failed ? "failed" : "done";
  if (interrupt) return "waiting";
  return ready ? "running" : "preparing";
}

/** A tool call: arguments, result and duration; collapsed by default. */
export function ToolCard({ entry }: { entry: ToolEntry }) {
  const state = stateOf(entry);
  const { icon: Icon, color, label } = LOOKS[state];
  const { tookMs, edited } = entry;
  if (entry.drawn && state === "done") return <DrawnCall entry={entry} />;
  return (
    <div className="flex flex-col gap-2">
      <details className="group/card rounded-lg border border-line bg-surface">
        <summary className="flex items-center gap-2 rounded-lg px-3 py-2 hover:bg-sunken">
          <Icon
            className={cx("size-4 shrink-0", color, state === "running" && "animate-spin")}
            aria-label={label}
            role="img"
          />
          <code className="shrink-0 text-xs font-medium">{entry.name}</code>
          <span className="min-w-0 flex-1 truncate text-xs text-ink-faint">{summaryOf(entry)}</span>
          {edited !== undefined && <Badge tone="warn">edited</Badge>}
          {tookMs !== undefined && <span className="numbers text-xs text-ink-faint">{duration(tookMs)}</span>}
          <ChevronRight className="size-4 shrink-0 text-ink-faint group-open/card:rotate-90" aria-hidden />
        </summary>
        <div className="flex flex-col gap-3 border-t border-line p-3">
          <Arguments title="Arguments" value={parsed(entry.argumentsText || "{}")} />
          {edited !== undefined && <Arguments title="Edited arguments" value={edited} />}
          {entry.result && (
            <Part title={entry.result.failed ? "Error" : "Result"} value={parsed(entry.result.text)} />
          )}
          {entry.forClient && !entry.result && <Badge tone="thought">Runs in a client</Badge>}
        </div>
      </details>
      {entry.result?.failed && <CallFailure text={entry.result.text} />}
    </div>
  );
}

/** The card it drew is below, with its input and result. */
function DrawnCall({ entry: { name, tookMs } }: { entry: ToolEntry }) {
  const { icon: Icon, color, label } = LOOKS.done;
  return (
    <p className="flex items-center gap-2 px-3 py-1 text-xs">
      <Icon className={cx("size-4 shrink-0", color)} aria-label={label} role="img" />
      <code className="font-medium">{name}</code>
      {tookMs !== undefined && <span className="numbers text-ink-faint">{duration(tookMs)}</span>}
    </p>
  );
}

function Arguments({ title, value }: { title: string; value: unknown }) {
  return (
    <div>
      <p className="mb-1 text-xs font-medium text-ink-soft">{title}</p>
      <CallArguments value={value} label={title} />
    </div>
  );
}

function Part({ title, value }: { title: string; value: unknown }) {
  return (
    <div>
      <p className="mb-1 text-xs font-medium text-ink-soft">{title}</p>
      <JsonView value={value} label={title} />
    </div>
  );
}

function CallFailure({ text }: { text: string }) {
  const failure = failureIn(text);
  if (!failure) return null;
  return (
    <div className="flex flex-col px-1 text-xs text-bad">
      <p>
        {failure.message} {failure.nextStep}
      </p>
      <WholeOutput nextStep={failure.nextStep} />
    </div>
  );
}

/** The arguments on one line, shortest first glance: `path: /notes.txt, content: hello`. */
function summaryOf({ argumentsText, edited }: ToolEntry): string {
  const value = edited ?? parsed(argumentsText);
  if (value === null || typeof value !== "object") return argumentsText.slice(0, 120);
  return Object.entries(value)
    .map(([name, each]) => `${name}: ${typeof each === "object" ? JSON.stringify(each) : String(each)}`)
    .join(", ")
    .slice(0, 160);
}
