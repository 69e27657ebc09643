/** Usage as the bars of a chart: every hour or day of the period has a bar, even if empty. */
import type { Usage, UsagePoint } from "@capstan/client";

export type Measure = "cost" | "tokens";

/** Distinguishable with colour blindness; the last is for "other". */
export const CHART_COLORS = [
  "var(--accent)",
  "var(--chart-2)",
  "var(--chart-3)",
  "var(--chart-4)",
  "var(--chart-5)",
  "var(--chart-6)",
  "var(--chart-7)",
  "var(--ink-faint)",
];

const STEP_MS = { hour: 3_600_000, day: 86_400_000 };

const measured = (point: UsagePoint, measure: Measure): number =>
  measure === "cost" ? point.cost_usd : point.input_tokens + point.output_tokens;

export function chartOf({ from, to, bucket, groups, points }: Usage, measure: Measure) {
  const step = STEP_MS[bucket];
  const first = Math.floor(Date.parse(from) / step) * step;
  const places = Math.max(1, Math.ceil((Date.parse(to) - first) / step));
  const named = new Map(groups.map(({ key, name }) => [key, name]));
  const drawn = groups.map(({ key }) => key).filter((key) => points.some((point) => point.key === key));
  const keys = points.some(({ key }) => key === "other" && !named.has(key)) ? [...drawn, "other"] : drawn;
  const series = keys.map((key) => {
    const values = Array.from({ length: places }, () => 0);
    for (const point of points) {
      const place = Math.round((Date.parse(point.at) - first) / step);
      if (point.key === key && place in values) values[place] = measured(point, measure);
    }
    return { name: named.get(key) ?? "Other", values };
  });
  const labels = Array.from({ length: places }, (_, place) => labelOf(first + place * step, bucket));
  return { labels, series };
}

function labelOf(time: number, bucket: Usage["bucket"]): string {
  const text = new Date(time).toISOString();
  return bucket === "day" ? text.slice(0, 10) : `${text.slice(5, 10)} ${text.slice(11, 16)}`;
}
