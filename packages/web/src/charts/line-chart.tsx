/** Values over time as lines. The same numbers are in a table below, for those who cannot see or want to copy them. */
import { useId, useState } from "react";
import { ChartTable } from "./chart-table.tsx";
import { linePath, ticks } from "./scale.ts";
import { useWidth } from "./use-width.ts";

export interface Series {
  readonly name: string;
  readonly color: string;
  readonly values: readonly (number | null)[];
}

interface LineChartProps {
  title: string;
  labels: readonly string[];
  series: readonly Series[];
  format: (value: number) => string;
  /** The top of the scale, when it is known, such as 1 for a share. */
  most?: number;
}

const HEIGHT = 200;
const LEFT = 56;
const BOTTOM = 24;
const TOP = 8;

export function LineChart({ title, labels, series, format, most }: LineChartProps) {
  const id = useId();
  const [over, setOver] = useState<number>();
  const [width, measure] = useWidth(LEFT * 3);
  const top = ticks(
    most ?? Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0))),
  );
  const highest = top.at(-1) ?? 1;
  const x = (index: number) =>
    LEFT + (labels.length < 2 ? 0.5 : index / (labels.length - 1)) * (width - LEFT - 8);
  const y = (value: number) => TOP + (1 - value / highest) * (HEIGHT - TOP - BOTTOM);
  const at = over ?? labels.length - 1;
  return (
    <figure ref={measure} className="flex min-w-0 flex-col gap-2" aria-labelledby={id}>
      <figcaption id={id} className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <span className="text-sm font-semibold">{title}</span>
        <Legend series={series} at={at} label={labels[at] ?? ""} format={format} />
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${HEIGHT}`}
        className="w-full"
        aria-hidden="true"
        onPointerMove={(event) => setOver(nearest(event.currentTarget, event.clientX, labels.length))}
        onPointerLeave={() => setOver(undefined)}
      >
        {top.map((tick) => (
          <g key={tick}>
            <line x1={LEFT} x2={width - 8} y1={y(tick)} y2={y(tick)} className="stroke-line" />
            <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end" className="fill-ink-faint text-[11px]">
              {format(tick)}
            </text>
          </g>
        ))}
        {[0, labels.length - 1].map((index) => (
          <text
            key={index}
            x={x(index)}
            y={HEIGHT - 6}
            textAnchor={index === 0 && labels.length > 1 ? "start" : "end"}
            className="fill-ink-faint text-[11px]"
          >
            {labels[index]}
          </text>
        ))}
        {over !== undefined && (
          <line x1={x(over)} x2={x(over)} y1={TOP} y2={HEIGHT - BOTTOM} className="stroke-line-strong" />
        )}
        {series.map(({ name, color, values }) => (
          <path
            key={name}
            d={linePath(values.map((value, index) => ({ x: x(index), y: value === null ? null : y(value) })))}
            fill="none"
            stroke={color}
            strokeWidth={2}
            strokeLinecap="round"
            strokeLinejoin="round"
          />
        ))}
      </svg>
      <ChartTable title={title} labels={labels} series={series} format={format} />
    </figure>
  );
}

function nearest(svg: SVGSVGElement, clientX: number, count: number): number {
  const { left, width } = svg.getBoundingClientRect();
  const share = (clientX - left - LEFT) / (width - LEFT - 8);
  return Math.max(0, Math.min(count - 1, Math.round(share * (count - 1))));
}

interface LegendProps extends Pick<LineChartProps, "series" | "format"> {
  at: number;
  label: string;
}

function Legend({ series, at, label, format }: LegendProps) {
  return (
    <span className="flex flex-wrap items-center gap-3 text-xs text-ink-soft">
      {series.map(({ name, color, values }) => {
        const value = values[at];
        return (
          <span key={name} className="inline-flex items-center gap-1.5">
            <span className="h-0.5 w-3 rounded-full" style={{ background: color }} aria-hidden />
            {name}
            <span className="numbers font-medium text-ink">{value == null ? "none" : format(value)}</span>
          </span>
        );
      })}
      <span className="text-ink-faint">{label}</span>
    </span>
  );
}
