/** Each run as a waterfall: model calls, gate and tools, when they began, how long they took, what they cost. */
import type { Run, TraceSpan } from "@capstan/client";
import Activity from "lucide-react/icons/activity";
import type { RunView } from "../../conversation/entries.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { Panel } from "../../kit/panel.tsx";
import { Empty, FailureNote, Loaded } from "../../kit/states.tsx";
import { amount, clock, duration, usd } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useRead } from "../../server/queries.ts";
import { layOut, type PlacedSpan } from "./lay-out-trace.ts";

const TONES: Record<string, Tone> = {
  done: "good",
  running: "accent",
  queued: "plain",
  waiting: "warn",
  failed: "bad",
  limit: "bad",
  cancelled: "plain",
};
const LIVE = new Set(["running", "queued", "waiting"]);

/** `runs` are those the events told of; when one starts or ends, the list is read again. */
export function Trace({ sessionId, runs }: { sessionId: string; runs: readonly RunView[] }) {
  const news = runs.map(({ id, status }) => `${id} ${status}`).join();
  const query = useRead(["runs", sessionId, news], (signal) => api.sessions.runs(sessionId, signal), {
    keepPrevious: true,
  });
  return (
    <Loaded query={query} what="Runs" rows={6}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon={Activity} title="No runs yet">
            The first message starts one.
          </Empty>
        ) : (
          <div className="flex flex-col gap-5">
            {items.toReversed().map((run) => (
              <RunTrace key={run.id} run={run} />
            ))}
          </div>
        )
      }
    </Loaded>
  );
}

function RunTrace({ run }: { run: Run }) {
  const detail = useRead(["run", run.id, run.status], (signal) => api.runs.get(run.id, signal), {
    everyMs: LIVE.has(run.status) ? 2_000 : undefined,
    keepPrevious: true,
  });
  const { input_tokens: input = 0, output_tokens: output = 0, cost_usd: cost } = run.usage;
  return (
    <Panel
      title={
        <span className="flex flex-wrap items-center gap-2">
          <Badge tone={TONES[run.status] ?? "plain"}>{run.status}</Badge>
          {run.model ?? "no model call"}
        </span>
      }
      actions={
        <span className="numbers text-xs text-ink-faint">
          {clock(run.started_at)}, {amount(input)} in, {amount(output)} out{cost ? `, ${usd(cost)}` : ""}
        </span>
      }
    >
      {run.error && <FailureNote failure={{ ...run.error, status: 500 }} className="mb-3" />}
      <Loaded query={detail} what="Traces" rows={3}>
        {({ trace = [] }) => <Waterfall spans={trace} />}
      </Loaded>
    </Panel>
  );
}

function Waterfall({ spans }: { spans: readonly TraceSpan[] }) {
  if (spans.length === 0) return <p className="text-ink-soft">Nothing recorded.</p>;
  const { placed, totalMs } = layOut(spans);
  return (
    <div className="flex flex-col gap-1">
      <div className="numbers flex justify-between pl-[40%] text-xs text-ink-faint" aria-hidden>
        <span>0</span>
        <span>{duration(totalMs)}</span>
      </div>
      <ol className="flex flex-col gap-1">
        {placed.map((span, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: spans have no id and never change their order
          <SpanRow key={index} span={span} />
        ))}
      </ol>
    </div>
  );
}

const BADGES: Record<string, Tone> = { model: "thought", gate: "warn", tool: "accent" };
const COLORS: Record<string, string> = { model: "bg-thought", gate: "bg-warn", tool: "bg-accent" };

function SpanRow({ span }: { span: PlacedSpan }) {
  const { kind, name, durationMs, leftPercent, widthPercent, facts, failed } = span;
  return (
    <li className="grid grid-cols-[40%_1fr] items-center gap-2">
      <span className="flex min-w-0 items-center gap-2">
        <Badge tone={BADGES[kind] ?? "accent"}>{kind}</Badge>
        <code className="truncate text-xs" title={name}>
          {name}
        </code>
        {failed && <Badge tone="bad">{failed}</Badge>}
      </span>
      <span className="flex items-center gap-2">
        <span className="relative h-3 min-w-0 flex-1 rounded-sm bg-sunken">
          <span
            className={`absolute h-3 rounded-sm ${COLORS[kind] ?? "bg-accent"}`}
            style={{ left: `${leftPercent}%`, width: `${widthPercent}%` }}
          />
        </span>
        <span className="numbers w-32 shrink-0 truncate text-right text-xs text-ink-soft" title={facts}>
          {duration(durationMs)}
          {facts && <span className="text-ink-faint"> {facts}</span>}
        </span>
      </span>
    </li>
  );
}
