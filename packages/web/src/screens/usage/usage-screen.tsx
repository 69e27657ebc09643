/** /usage: tokens and cost over time, who and what used them, and which tools are slow or fail. */
import type { Usage, UsageGroupBy } from "@capstan/client";
import ChartColumn from "lucide-react/icons/chart-column";
import Download from "lucide-react/icons/download";
import { useState } from "react";
import { BarChart } from "../../charts/bar-chart.tsx";
import { ActionButton } from "../../kit/button.tsx";
import { Field, Select } from "../../kit/field.tsx";
import { Panel } from "../../kit/panel.tsx";
import { saveAs } from "../../kit/save-as.ts";
import { Screen } from "../../kit/screen.tsx";
import { ChangeFailure, Empty, Loaded } from "../../kit/states.tsx";
import { amount, count, usd } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useCancellableChange, useRead } from "../../server/queries.ts";
import { GroupTable } from "./group-table.tsx";
import { ToolTables } from "./tool-tables.tsx";
import { CHART_COLORS, chartOf, type Measure } from "./usage-chart.ts";

const DAY_MS = 86_400_000;
const REFRESH_MS = 15_000;
const PERIODS = [
  { days: 1, label: "Last 24 hours" },
  { days: 7, label: "Last 7 days" },
  { days: 30, label: "Last 30 days" },
  { days: 90, label: "Last 90 days" },
  { days: 365, label: "Last year" },
];
const GROUPS: { by: UsageGroupBy; label: string }[] = [
  { by: "model", label: "Model" },
  { by: "agent", label: "Agent" },
  { by: "user", label: "User" },
];
const isGroup = (text: string): text is UsageGroupBy => GROUPS.some(({ by }) => by === text);

/** The start of a whole hour, so that asking again asks the same. */
const since = (days: number): string =>
  new Date(Math.floor((Date.now() - days * DAY_MS) / 3_600_000) * 3_600_000).toISOString();

export default function UsageScreen() {
  const [days, setDays] = useState(30);
  const [by, setBy] = useState<UsageGroupBy>("model");
  const from = since(days);
  const query = useRead(["usage", from, by], (signal) => api.usage.get({ from, group_by: by }, signal), {
    everyMs: REFRESH_MS,
    keepPrevious: true,
  });
  return (
    <Screen
      wide
      title="Usage"
      lead="Tokens and cost of every model call, and how tools perform."
      actions={<ExportButton from={from} />}
    >
      <div className="flex flex-wrap gap-3">
        <Field label="Period" className="w-44">
          {(control) => (
            <Select {...control} value={days} onChange={({ target }) => setDays(Number(target.value))}>
              {PERIODS.map(({ days: each, label }) => (
                <option key={each} value={each}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Split by" className="w-44">
          {(control) => (
            <Select
              {...control}
              value={by}
              onChange={({ target }) => isGroup(target.value) && setBy(target.value)}
            >
              {GROUPS.map(({ by: each, label }) => (
                <option key={each} value={each}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <Loaded query={query} what="Usage" rows={8}>
        {(usage) => <Shown usage={usage} />}
      </Loaded>
      <ToolTables from={from} />
    </Screen>
  );
}

function ExportButton({ from }: { from: string }) {
  const { change: download, cancel } = useCancellableChange((_: undefined, signal) =>
    api.usage.export({ from }, signal),
  );
  return (
    <>
      <ActionButton
        busy={download.isPending}
        doing="Exporting…"
        onCancel={cancel}
        onClick={() => download.mutate(undefined, { onSuccess: (csv) => saveAs("capstan-usage.csv", csv) })}
      >
        <Download className="size-4" aria-hidden />
        Export CSV
      </ActionButton>
      <ChangeFailure error={download.error} />
    </>
  );
}

function Shown({ usage }: { usage: Usage }) {
  const { total } = usage;
  if (total.calls === 0)
    return (
      <Panel>
        <Empty icon={ChartColumn} title="No model calls in this period">
          Usage appears here after the first message to an agent.
        </Empty>
      </Panel>
    );
  const figures: [label: string, value: string, more: string][] = [
    [
      "Cost",
      usd(total.cost_usd),
      total.unpriced_calls > 0 ? `${count(total.unpriced_calls, "call")} without a price` : "",
    ],
    ["Model calls", amount(total.calls), ""],
    ["Input tokens", amount(total.input_tokens), cachedShare(total)],
    ["Output tokens", amount(total.output_tokens), ""],
  ];
  return (
    <>
      <dl className="grid grid-cols-2 gap-3 md:grid-cols-4">
        {figures.map(([label, value, more]) => (
          <div key={label} className="rounded-xl border border-line bg-surface px-4 py-3">
            <dt className="text-xs text-ink-soft">{label}</dt>
            <dd className="numbers text-xl font-semibold">{value}</dd>
            {more && <dd className="text-xs text-ink-faint">{more}</dd>}
          </div>
        ))}
      </dl>
      <OverTime usage={usage} />
      <GroupTable usage={usage} />
    </>
  );
}

const cachedShare = ({ cached_input_tokens, input_tokens }: Usage["total"]): string =>
  cached_input_tokens > 0 ? `${Math.round((100 * cached_input_tokens) / input_tokens)}% from the cache` : "";

function OverTime({ usage }: { usage: Usage }) {
  const priced = usage.total.cost_usd > 0;
  const [chosen, choose] = useState<Measure>();
  const measure = chosen ?? (priced ? "cost" : "tokens");
  const { labels, series } = chartOf(usage, measure);
  const choice = (
    <Field label="Measure" hideLabel className="w-28">
      {(control) => (
        <Select
          {...control}
          value={measure}
          onChange={({ target }) => choose(target.value === "cost" ? "cost" : "tokens")}
        >
          <option value="cost">Cost</option>
          <option value="tokens">Tokens</option>
        </Select>
      )}
    </Field>
  );
  return (
    <Panel title={`${measure === "cost" ? "Cost" : "Tokens"} by ${usage.bucket} (UTC)`} actions={choice}>
      <BarChart
        title={`${measure} by ${usage.bucket}`}
        labels={labels}
        series={series.map((each, index) => ({ ...each, color: CHART_COLORS[index] ?? "var(--ink-faint)" }))}
        format={measure === "cost" ? usd : amount}
      />
    </Panel>
  );
}
