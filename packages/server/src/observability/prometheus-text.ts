/** Metrics in the text format of Prometheus. */
import type { Histogram } from "@capstan/runtime";

export type Labels = Readonly<Record<string, string>>;
export type Sample = readonly [labels: Labels, value: number];

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly Sample[];
  readonly histograms?: readonly (readonly [labels: Labels, histogram: Histogram])[];
}

export function prometheusText(metrics: readonly Metric[]): string {
  return metrics.map(metricText).join("");
}

function metricText({ name, help, type, samples, histograms = [] }: Metric): string {
  const lines = [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([labels, value]) => line(name, labels, value)),
    ...histograms.flatMap(([labels, histogram]) => histogramLines(name, labels, histogram)),
  ];
  return `${lines.join("\n")}\n`;
}

function histogramLines(name: string, labels: Labels, histogram: Histogram): string[] {
  return [
    ...histogram
      .buckets()
      .map(({ le, count }) => line(`${name}_bucket`, { ...labels, le: bound(le) }, count)),
    line(`${name}_sum`, labels, histogram.sum),
    line(`${name}_count`, labels, histogram.count),
  ];
}

const bound = (le: number): string => (Number.isFinite(le) ? String(le) : "+Inf");

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}`;
}

const escaped = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
