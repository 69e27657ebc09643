/** Amounts over time as stacked bars. The same numbers are in a table below, for those who cannot see or want to copy them. */
import { useState } from "react";
import { ChartTable } from "./chart-table.tsx";
import { ticks } from "./scale.ts";
import { useWidth } from "./use-width.ts";

export interface BarSeries {
  readonly name: string;
  readonly color: string;
  readonly values: readonly number[];
}

interface BarChartProps {
  title: string;
  labels: readonly string[];
  series: readonly BarSeries[];
  format: (value: number) => string;
}

const HEIGHT = 220;
const LEFT = 56;
const RIGHT = 8;
const BOTTOM = 24;
const TOP = 8;
const WIDEST_BAR = 48;

export function BarChart({ title, labels, series, format }: BarChartProps) {
  const [over, setOver] = useState<number>();
  const [width, measure] = useWidth(LEFT * 3);
  const sums = labels.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const scale = ticks(Math.max(0, ...sums));
  const highest = scale.at(-1) ?? 1;
  const y = (value: number) => TOP + (1 - value / highest) * (HEIGHT - TOP - BOTTOM);
  const slot = (width - LEFT - RIGHT) / Math.max(1, labels.length);
  const bar = Math.min(WIDEST_BAR, Math.max(1, slot * 0.75));
  return (
    <figure ref={measure} className="flex min-w-0 flex-col gap-2" aria-label={title}>
      <Legend
        series={series}
        at={over}
        label={over === undefined ? "" : (labels[over] ?? "")}
        format={format}
      />
      <svg
        viewBox={`0 0 ${width} ${HEIGHT}`}
        className="w-full"
        aria-hidden="true"
        onPointerLeave={() => setOver(undefined)}
      >
        {scale.map((tick) => (
          <g key={tick}>
            <line x1={LEFT} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} className="stroke-line" />
            <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end" className="fill-ink-faint text-[11px]">
              {format(tick)}
            </text>
          </g>
        ))}
        {labels.map((label, index) => (
          <Stack
            key={label}
            x={LEFT + index * slot + (slot - bar) / 2}
            width={bar}
            y={y}
            parts={series.map(({ name, color, values }) => ({ name, color, value: values[index] ?? 0 }))}
            faded={over !== undefined && over !== index}
          />
        ))}
        {labels.map((label, index) => (
          <rect
            key={label}
            x={LEFT + index * slot}
            y={TOP}
            width={slot}
            height={HEIGHT - TOP - BOTTOM}
            fill="transparent"
            onPointerMove={() => setOver(index)}
          />
        ))}
        {labels.length > 0 && (
          <>
            <text x={LEFT} y={HEIGHT - 6} className="fill-ink-faint text-[11px]">
              {labels[0]}
            </text>
            {labels.length > 1 && (
              <text x={width - RIGHT} y={HEIGHT - 6} textAnchor="end" className="fill-ink-faint text-[11px]">
                {labels.at(-1)}
              </text>
            )}
          </>
        )}
      </svg>
      <ChartTable title={title} labels={labels} series={series} format={format} />
    </figure>
  );
}

interface StackProps {
  x: number;
  width: number;
  y: (value: number) => number;
  parts: readonly { name: string; color: string; value: number }[];
  faded: boolean;
}

function Stack({ x, width, y, parts, faded }: StackProps) {
  const starts = parts.map((_, index) => parts.slice(0, index).reduce((sum, { value }) => sum + value, 0));
  return (
    <g opacity={faded ? 0.45 : 1}>
      {parts.map(({ name, color, value }, index) => {
        const from = starts[index] ?? 0;
        const top = y(from + value);
        return value === 0 ? null : (
          <rect
            key={name}
            x={x}
            y={top}
            width={width}
            height={Math.max(1, y(from) - top)}
            fill={color}
            rx={1}
          />
        );
      })}
    </g>
  );
}

interface LegendProps extends Pick<BarChartProps, "series" | "format"> {
  at: number | undefined;
  label: string;
}

function Legend({ series, at, label, format }: LegendProps) {
  return (
    <p className="flex min-h-5 flex-wrap items-center gap-x-3 gap-y-1 text-xs text-ink-soft">
      {series.map(({ name, color, values }) => (
        <span key={name} className="inline-flex min-w-0 items-center gap-1.5">
          <span className="size-2.5 shrink-0 rounded-xs" style={{ background: color }} aria-hidden />
          <span className="max-w-48 truncate">{name}</span>
          {at !== undefined && (
            <span className="numbers font-medium text-ink">{format(values[at] ?? 0)}</span>
          )}
        </span>
      ))}
      {label && <span className="text-ink-faint">{label}</span>}
    </p>
  );
}
