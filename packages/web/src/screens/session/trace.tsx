/** Each run as a waterfall: model calls, approvals and tools. Every row opens, and has an address of its own. */
import type { Run, TraceSpan } from "@capstan/client";
import Activity from "lucide-react/icons/activity";
import ChevronRight from "lucide-react/icons/chevron-right";
import { useEffect, useRef, useState } from "react";
import { useLocation, useSearch } from "wouter";
import type { ConversationView } from "../../conversation/entries.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { cx } from "../../kit/cx.ts";
import { Field, Select } from "../../kit/field.tsx";
import { Panel } from "../../kit/panel.tsx";
import { Empty, FailureNote, Loaded } from "../../kit/states.tsx";
import { amount, clock, count, duration, usd } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useRead } from "../../server/queries.ts";
import { AddToDataset } from "./add-to-dataset.tsx";
import { type Break, layOut, type PlacedSpan } from "./lay-out-trace.ts";
import { ReplayRun } from "./replay-run.tsx";
import { RunComparison } from "./run-comparison.tsx";
import { SpanDetail } from "./span-detail.tsx";
import { factsOf } from "./trace-facts.ts";

export const RUN_TONES: Record<string, Tone> = {
  done: "good",
  running: "accent",
  queued: "plain",
  waiting: "warn",
  failed: "bad",
  limit: "bad",
  cancelled: "plain",
};
const LIVE = new Set(["running", "queued", "waiting"]);

interface TraceProps {
  sessionId: string;
  view: ConversationView;
}

/** When the events tell that a run starts or ends, the list is read again. */
export function Trace({ sessionId, view }: TraceProps) {
  const news = view.runs.map(({ id, status }) => `${id} ${status}`).join();
  const query = useRead(["runs", sessionId, news], (signal) => api.sessions.runs(sessionId, signal), {
    keepPrevious: true,
  });
  const [compared, setCompared] = useState<[string, string]>();
  return (
    <Loaded query={query} what="Runs" rows={6}>
      {(items) => {
        if (items.length === 0)
          return (
            <Empty icon={Activity} title="No runs yet">
              Send a message to start one.
            </Empty>
          );
        const named = items.map((run, index) => ({ run, name: nameOf(view, run.id, index) }));
        return (
          <div className="flex flex-col gap-5">
            {items.length > 1 && <CompareFields runs={named} chosen={compared} onChoose={setCompared} />}
            {compared && <RunComparison runs={named} ids={compared} />}
            {named.toReversed().map(({ run, name }) => (
              <RunTrace key={run.id} run={run} name={name} />
            ))}
          </div>
        );
      }}
    </Loaded>
  );
}

export interface NamedRun {
  readonly run: Run;
  /** The message that started it. */
  readonly name: string;
}

function nameOf({ entries }: ConversationView, runId: string, index: number): string {
  const said = entries.find((entry) => entry.kind === "user" && entry.id === runId);
  return (said?.kind === "user" && said.message?.text) || `Run ${index + 1}`;
}

interface CompareFieldsProps {
  runs: readonly NamedRun[];
  chosen: [string, string] | undefined;
  onChoose: (ids: [string, string] | undefined) => void;
}

function CompareFields({ runs, chosen, onChoose }: CompareFieldsProps) {
  const latest = runs.at(-1)?.run.id ?? "";
  const [left = "", right = latest] = chosen ?? [];
  const choose = (next: [string, string]) => onChoose(next[0] === "" ? undefined : next);
  const options = runs.map(({ run, name }, index) => (
    <option key={run.id} value={run.id}>
      {index + 1}. {name.slice(0, 60)}
    </option>
  ));
  return (
    <div className="flex flex-wrap items-end gap-3">
      <Field label="Compare" className="w-56">
        {(control) => (
          <Select {...control} value={left} onChange={({ target }) => choose([target.value, right])}>
            <option value="">No comparison</option>
            {options}
          </Select>
        )}
      </Field>
      {left !== "" && (
        <Field label="With" className="w-56">
          {(control) => (
            <Select {...control} value={right} onChange={({ target }) => choose([left, target.value])}>
              {options}
            </Select>
          )}
        </Field>
      )}
    </div>
  );
}

function RunTrace({ run, name }: NamedRun) {
  const detail = useRead(["run", run.id, run.status], (signal) => api.runs.get(run.id, signal), {
    everyMs: LIVE.has(run.status) ? 2_000 : undefined,
    keepPrevious: true,
  });
  const { input_tokens: input = 0, output_tokens: output = 0, cost_usd: cost } = run.usage;
  return (
    <Panel
      title={
        <span className="flex min-w-0 items-center gap-2">
          <Badge tone={RUN_TONES[run.status] ?? "plain"}>{run.status}</Badge>
          <span className="truncate" title={name}>
            {name}
          </span>
        </span>
      }
      actions={
        <>
          <span className="numbers hidden text-xs text-ink-faint sm:block">
            {[
              run.model,
              clock(run.started_at),
              `${amount(input)} in, ${amount(output)} out`,
              cost && usd(cost),
            ]
              .filter(Boolean)
              .join(" · ")}
          </span>
          {run.status === "done" && <ReplayRun runId={run.id} />}
          {(run.status === "done" || run.status === "failed") && <AddToDataset runId={run.id} />}
        </>
      }
    >
      {run.error && <FailureNote failure={{ ...run.error, status: 500 }} className="mb-3" />}
      {run.status === "cancelled" && <p className="mb-3 text-ink-soft">{cancelledBy(run)}</p>}
      <Loaded query={detail} what="Traces" rows={3}>
        {({ trace = [] }) => <Waterfall run={run} spans={trace} />}
      </Loaded>
    </Panel>
  );
}

const cancelledBy = ({ outcome }: Run): string => {
  const by = outcome && "by" in outcome && typeof outcome.by === "string" ? outcome.by : undefined;
  return by ? `Stopped by ${by}.` : "Stopped before it finished.";
};

function Waterfall({ run, spans }: { run: Run; spans: readonly TraceSpan[] }) {
  if (spans.length === 0) return <p className="text-ink-soft">Nothing recorded.</p>;
  const { placed, breaks, totalMs } = layOut(spans);
  return (
    <div className="flex flex-col gap-1">
      <div className="numbers flex justify-between pl-[45%] text-xs text-ink-faint sm:pl-[40%]" aria-hidden>
        <span>0</span>
        <span>{duration(totalMs)}</span>
      </div>
      <ol className="flex flex-col gap-0.5">
        {placed.map((each) => (
          <SpanRow key={`${each.span.kind} ${each.span.id}`} run={run} placed={each} breaks={breaks} />
        ))}
      </ol>
      {breaks.length > 0 && (
        <p className="text-xs text-ink-faint">
          {count(breaks.length, "break")} in the time line:{" "}
          {duration(breaks.reduce((sum, { cutMs }) => sum + cutMs, 0))} of waiting for approval not shown.
        </p>
      )}
    </div>
  );
}

const BADGES: Record<string, Tone> = { model: "thought", gate: "warn", tool: "accent" };
const LABELS: Record<string, string> = { model: "model", gate: "approval", tool: "tool" };
const COLORS: Record<string, string> = { model: "bg-thought", gate: "bg-warn", tool: "bg-accent" };

interface SpanRowProps {
  run: Run;
  placed: PlacedSpan;
  breaks: readonly Break[];
}

function SpanRow({ run, placed: { span, leftPercent, widthPercent }, breaks }: SpanRowProps) {
  const { kind, name, state } = span;
  const [open, toggle, row] = useOpenRow(`${run.id}.${kind}.${span.id}`);
  const facts = factsOf(span);
  return (
    <li ref={row}>
      <button
        type="button"
        aria-expanded={open}
        onClick={toggle}
        className="grid w-full grid-cols-[45%_1fr] items-center gap-2 rounded-md py-0.5 text-left -outline-offset-2 hover:bg-sunken sm:grid-cols-[40%_1fr]"
      >
        <span className="flex min-w-0 items-center gap-1.5">
          <ChevronRight className={cx("size-3.5 shrink-0 text-ink-faint", open && "rotate-90")} aria-hidden />
          <Badge tone={BADGES[kind] ?? "accent"}>{LABELS[kind] ?? kind}</Badge>
          <code className="truncate text-xs" title={name}>
            {name}
          </code>
          {state === "failed" && <Badge tone="bad">failed</Badge>}
          {state === "cancelled" && <Badge>cancelled</Badge>}
        </span>
        <span className="flex min-w-0 items-center gap-2">
          <span className="relative h-3 min-w-0 flex-1 rounded-sm bg-sunken">
            <span
              className={cx("absolute h-3 rounded-sm", state === "failed" ? "bg-bad" : COLORS[kind])}
              style={{ left: `${leftPercent}%`, width: `${widthPercent}%` }}
            />
            {breaks.map(({ atPercent }) => (
              <span
                key={atPercent}
                aria-hidden
                className="absolute -top-0.5 h-4 w-1 -skew-x-12 border-x border-ink-faint bg-surface"
                style={{ left: `${atPercent}%` }}
              />
            ))}
          </span>
          <span
            className="numbers w-20 shrink-0 truncate text-right text-xs text-ink-soft sm:w-40"
            title={facts}
          >
            {duration(span.duration_ms)}
            {facts && <span className="hidden text-ink-faint sm:inline"> {facts}</span>}
          </span>
        </span>
      </button>
      {open && <SpanDetail runId={run.id} sessionId={run.session_id} span={span} />}
    </li>
  );
}

/** The page keeps which rows are open; the last one opened is in the address, and is shown when the address is opened. */
function useOpenRow(name: string) {
  const [path, go] = useLocation();
  const asked = new URLSearchParams(useSearch()).get("row") === name;
  const [open, setOpen] = useState(asked);
  const row = useRef<HTMLLIElement>(null);
  const askedAtFirst = useRef(asked);
  useEffect(() => {
    if (askedAtFirst.current) row.current?.scrollIntoView({ block: "center" });
  }, []);
  const toggle = () => {
    setOpen(!open);
    go(open ? path : `${path}?row=${encodeURIComponent(name)}`, { replace: true });
  };
  return [open, toggle, row] as const;
}
