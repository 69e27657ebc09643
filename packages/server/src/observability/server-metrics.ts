/** The metrics of `/metrics`: counters since this process started, and current gauges. No payload, no user, no session. */
import { roundedUsd } from "@capstan/core/internal";
import {
  type BreakerStore,
  countActiveRuns,
  type Database,
  type MonitorStore,
  type Telemetry,
} from "@capstan/runtime";
import { countStreams } from "../http/sse.ts";
import { type Metric, prometheusText } from "./prometheus-text.ts";
import type { RunTotals } from "./run-totals.ts";

export interface MetricParts {
  readonly database: Pick<Database, "pool">;
  readonly telemetry: Telemetry;
  readonly breakers: BreakerStore;
  readonly monitors: Pick<MonitorStore, "countOpenAlerts">;
  readonly runTotals: RunTotals;
}

const BREAKER_STATES = { closed: 0, half_open: 1, open: 2 };

export async function serverMetrics(parts: MetricParts): Promise<string> {
  const [activeNow, breakers, openAlerts] = await Promise.all([
    countActiveRuns(parts.database),
    parts.breakers.list(),
    parts.monitors.countOpenAlerts(),
  ]);
  return prometheusText([
    ...runMetrics(parts.runTotals, activeNow),
    ...monitorMetrics(parts.runTotals, openAlerts),
    ...callMetrics(parts.telemetry),
    {
      name: "capstan_breaker_state",
      help: "State of a tool's circuit breaker: 0 closed, 1 half open, 2 open.",
      type: "gauge",
      samples: breakers.map(({ capabilityId, tool, state }) => [
        { capability: capabilityId, tool },
        BREAKER_STATES[state],
      ]),
    },
    gauge("capstan_event_subscribers", "Clients connected to a stream of this process.", countStreams()),
    gauge("process_resident_memory_bytes", "Memory of this process.", process.memoryUsage.rss()),
    gauge("process_uptime_seconds", "How long this process has been running.", Math.round(process.uptime())),
  ]);
}

const ENDS = ["done", "failed", "cancelled"] as const;
const DELIVERIES = ["delivered", "failed", "given_up"] as const;
const STATES = ["queued", "running", "waiting"] as const;

function runMetrics(totals: RunTotals, active: Readonly<Record<string, number>>): Metric[] {
  return [
    {
      name: "capstan_runs_total",
      help: "Runs that ended on this process, by outcome.",
      type: "counter",
      samples: ENDS.map((end) => [{ status: end }, totals.ended.get(end) ?? 0]),
    },
    {
      name: "capstan_runs_active",
      help: "Unfinished runs, on all processes.",
      type: "gauge",
      samples: STATES.map((status) => [{ status }, active[status] ?? 0]),
    },
    {
      name: "capstan_run_seconds",
      help: "Time that runs worked, without waiting for people.",
      type: "histogram",
      samples: [],
      histograms: [[{}, totals.seconds]],
    },
    {
      name: "capstan_tokens_total",
      help: "Tokens of runs that ended, by model and kind, as the provider reported them.",
      type: "counter",
      samples: [...totals.tokens.values()].map(({ model, kind, count }) => [{ model, kind }, count]),
    },
    {
      name: "capstan_cost_usd_total",
      help: "Cost of runs that ended, where the model's prices are known.",
      type: "counter",
      samples: [[{}, roundedUsd(totals.costUsd())]],
    },
    {
      name: "capstan_webhook_attempts_total",
      help: "Attempts of this process to call runs' webhooks, by how they went.",
      type: "counter",
      samples: DELIVERIES.map((result) => [{ result }, totals.webhooks.get(result) ?? 0]),
    },
  ];
}

const SCORED = ["scored", "failed"] as const;

const monitorMetrics = (totals: RunTotals, openAlerts: number): Metric[] => [
  {
    name: "capstan_monitor_runs_total",
    help: "Live runs that monitors chose and this process scored, by how it went.",
    type: "counter",
    samples: SCORED.map((result) => [{ result }, totals.scored.get(result) ?? 0]),
  },
  {
    name: "capstan_monitor_alerts_total",
    help: "Alerts of drift that this process raised.",
    type: "counter",
    samples: [[{}, totals.alerts()]],
  },
  gauge("capstan_monitor_alerts_open", "Alerts of drift that nobody has acknowledged.", openAlerts),
];

function callMetrics(telemetry: Telemetry): Metric[] {
  const calls = [...telemetry.counters()].map(([key, count]) => {
    const [capability = "", path = "", result = ""] = key.split("\n");
    return { capability, path, result, count };
  });
  return [
    {
      name: "capstan_tool_calls_total",
      help: "Calls that reached the gate, by capability, path and result.",
      type: "counter",
      samples: calls.map(({ count, ...labels }) => [labels, count]),
    },
    {
      name: "capstan_tool_call_failures_total",
      help: "Calls that were refused or failed, by capability.",
      type: "counter",
      samples: [...failuresOf(calls)].map(([capability, count]) => [{ capability }, count]),
    },
    {
      name: "capstan_tool_call_seconds",
      help: "Duration of calls, by path.",
      type: "histogram",
      samples: [],
      histograms: [...telemetry.latencies()].map(([path, histogram]) => [{ path }, histogram]),
    },
  ];
}

function failuresOf(calls: readonly { capability: string; result: string; count: number }[]) {
  const failures = new Map<string, number>();
  for (const { capability, result, count } of calls)
    if (result === "http_error" || result === "runtime_error")
      failures.set(capability, (failures.get(capability) ?? 0) + count);
  return failures;
}

const gauge = (name: string, help: string, value: number): Metric => ({
  name,
  help,
  type: "gauge",
  samples: [[{}, value]],
});
