import type { TelemetryAnswer, TelemetryBucket } from "@capstan/client";
import ChartLine from "lucide-react/icons/chart-line";
import { useState } from "react";
import { LineChart } from "../../charts/line-chart.tsx";
import { Badge, Code } from "../../kit/badge.tsx";
import { Field, Select } from "../../kit/field.tsx";
import { Panel } from "../../kit/panel.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { amount, clock, dateTime, duration, percent } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useRead } from "../../server/queries.ts";

const REFRESH_MS = 5_000;

export function Telemetry() {
  const query = useRead(["telemetry", "records"], (signal) => api.route.telemetry({ limit: 50 }, signal), {
    everyMs: REFRESH_MS,
  });
  return (
    <div className="flex flex-col gap-5">
      <OverTime />
      <Loaded query={query} what="Telemetry records" rows={6}>
        {(answer) =>
          answer.summary.total === 0 ? (
            <Empty icon={ChartLine} title="No calls since the server started">
              Each step records its duration, outcome and whether a fallback was used.
            </Empty>
          ) : (
            <>
              <h2 className="text-sm font-medium text-ink-soft">Since the server started</h2>
              <Summary answer={answer} />
              <ByCapability answer={answer} />
              <Records answer={answer} />
            </>
          )
        }
      </Loaded>
    </div>
  );
}

function Summary({ answer: { summary } }: { answer: TelemetryAnswer }) {
  const figures: [string, string][] = [
    ["Steps", amount(summary.total)],
    ["Succeeded", percent(summary.successRate)],
    ["Used a fallback", percent(summary.fallbackRate)],
    ["Average latency", duration(summary.avgLatencyMs)],
  ];
  return (
    <dl className="grid grid-cols-2 gap-3 md:grid-cols-4">
      {figures.map(([label, value]) => (
        <div key={label} className="rounded-xl border border-line bg-surface px-4 py-3">
          <dt className="text-xs text-ink-soft">{label}</dt>
          <dd className="numbers text-xl font-semibold">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** How far back, and how wide a point is: some forty points on a chart. */
const SPANS: { label: string; hours: number; bucket_seconds: number; days?: boolean }[] = [
  { label: "last hour", hours: 1, bucket_seconds: 60 },
  { label: "last day", hours: 24, bucket_seconds: 1_800 },
  { label: "last week", hours: 168, bucket_seconds: 14_400, days: true },
];

function OverTime() {
  const [chosen, choose] = useState(1);
  const { hours, bucket_seconds, days } = SPANS[chosen] ?? { hours: 24, bucket_seconds: 1_800 };
  const query = useRead(
    ["telemetry", "series", hours],
    (signal) => api.route.series({ hours, bucket_seconds }, signal),
    { everyMs: REFRESH_MS, keepPrevious: true },
  );
  const choice = (
    <Field label="Time" hideLabel className="w-32">
      {(control) => (
        <Select {...control} value={chosen} onChange={({ target }) => choose(Number(target.value))}>
          {SPANS.map(({ label }, index) => (
            <option key={label} value={index}>
              {label}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
  return (
    <Panel title="Over time" actions={choice}>
      <Loaded query={query} what="Time series" rows={5}>
        {({ items }) => <Charts items={items} labelOf={days ? dateTime : clock} />}
      </Loaded>
    </Panel>
  );
}

function Charts({ items, labelOf }: { items: TelemetryBucket[]; labelOf: (ts: string) => string }) {
  if (items.length === 0) return <p className="text-ink-soft">No data for this period.</p>;
  const labels = items.map(({ ts }) => labelOf(ts));
  const share = (part: keyof Pick<TelemetryBucket, "successful" | "fallback">) =>
    items.map((item) => (item.total === 0 ? null : item[part] / item.total));
  return (
    <div className="grid gap-8 lg:grid-cols-2">
      <LineChart
        title="Success and fallback"
        labels={labels}
        most={1}
        format={percent}
        series={[
          { name: "Succeeded", color: "var(--good)", values: share("successful") },
          { name: "Fallback", color: "var(--warn)", values: share("fallback") },
        ]}
      />
      <LineChart
        title="Latency"
        labels={labels}
        format={duration}
        series={[
          { name: "p50", color: "var(--accent)", values: items.map(({ p50 }) => p50) },
          { name: "p95", color: "var(--thought)", values: items.map(({ p95 }) => p95) },
          { name: "p99", color: "var(--bad)", values: items.map(({ p99 }) => p99) },
        ]}
      />
    </div>
  );
}

function ByCapability({ answer: { summary } }: { answer: TelemetryAnswer }) {
  const rows = Object.entries(summary.byCapability).sort(([, a], [, b]) => b.count - a.count);
  return (
    <Panel title="By capability" flush>
      <div className="overflow-x-auto">
        <table className="numbers w-full text-left">
          <thead className="text-xs text-ink-soft">
            <tr className="border-b border-line">
              <th className="px-4 py-2 font-medium">Capability</th>
              <th className="px-4 py-2 text-right font-medium">Steps</th>
              <th className="px-4 py-2 text-right font-medium">Errors</th>
              <th className="px-4 py-2 text-right font-medium">Average latency</th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {rows.map(([id, { count, errors, avgLatencyMs }]) => (
              <tr key={id}>
                <td className="px-4 py-2">
                  <Code>{id}</Code>
                </td>
                <td className="px-4 py-2 text-right">{amount(count)}</td>
                <td className="px-4 py-2 text-right">{amount(errors)}</td>
                <td className="px-4 py-2 text-right">{duration(avgLatencyMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function Records({ answer: { records } }: { answer: TelemetryAnswer }) {
  return (
    <Panel title="Recent steps" flush>
      <ul className="divide-y divide-line">
        {records.map((record, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: records have no id
          <li key={index} className="numbers flex flex-wrap items-center gap-3 px-4 py-2">
            <span className="text-xs text-ink-faint">{clock(record.ts)}</span>
            <Code>{record.capabilityId}</Code>
            <Badge
              tone={
                record.failureClass === "success"
                  ? "good"
                  : record.failureClass === "dry_run"
                    ? "plain"
                    : "bad"
              }
            >
              {record.failureClass.replaceAll("_", " ")}
            </Badge>
            {record.fallbackUsed && <Badge tone="warn">fallback</Badge>}
            <span className="flex-1" />
            <span className="text-ink-soft">{duration(record.latencyMs)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
