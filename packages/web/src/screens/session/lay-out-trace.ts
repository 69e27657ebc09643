/**
 * The position of each span of a trace in its run, in percent. Everything is to scale, except long periods
 * in which only a person was awaited: they are shortened and marked.
 */
import type { TraceSpan } from "@capstan/client";

export interface PlacedSpan {
  readonly span: TraceSpan;
  readonly leftPercent: number;
  readonly widthPercent: number;
}

export interface Break {
  readonly atPercent: number;
  /** The time left out of the drawing. */
  readonly cutMs: number;
}

export interface LaidOut {
  readonly placed: readonly PlacedSpan[];
  readonly breaks: readonly Break[];
  readonly totalMs: number;
}

const THINNEST_PERCENT = 0.6; // a span of a millisecond must still be seen
const WAIT_SHARE = 0.25; // of the working time: longer waits are shortened to this

export function layOut(spans: readonly TraceSpan[]): LaidOut {
  const axis = axisOf(spans);
  const placed = spans.map((span) => {
    const start = Date.parse(span.started_at);
    const from = axis.percentAt(start);
    const leftPercent = Math.min(100 - THINNEST_PERCENT, from);
    const wanted = axis.percentAt(start + span.duration_ms) - from;
    return {
      span,
      leftPercent,
      widthPercent: Math.min(100 - leftPercent, Math.max(THINNEST_PERCENT, wanted)),
    };
  });
  return { placed, breaks: axis.breaks, totalMs: axis.totalMs };
}

interface Interval {
  readonly start: number;
  readonly end: number;
}

function axisOf(spans: readonly TraceSpan[]) {
  const intervals = spans.map((span) => {
    const start = Date.parse(span.started_at);
    return { start, end: start + span.duration_ms, isWait: span.kind === "gate" };
  });
  const first = Math.min(...intervals.map(({ start }) => start));
  const last = Math.max(...intervals.map(({ end }) => end));
  const waits = idleIn(
    intervals.filter(({ isWait }) => isWait),
    intervals.filter(({ isWait }) => !isWait),
  );
  const waitedMs = waits.reduce((sum, { start, end }) => sum + end - start, 0);
  const workedMs = Math.max(1, last - first - waitedMs);
  const drawn = ({ start, end }: Interval) => Math.min(end - start, workedMs * WAIT_SHARE);
  const at = (ms: number): number =>
    waits.reduce((sum, wait) => {
      const part = Math.min(Math.max(ms - wait.start, 0), wait.end - wait.start);
      return part === 0 ? sum : sum - part + (part / (wait.end - wait.start)) * drawn(wait);
    }, ms - first);
  const whole = Math.max(1, at(last));
  const percentAt = (ms: number) => (at(ms) / whole) * 100;
  const breaks = waits
    .map((wait) => ({
      atPercent: percentAt((wait.start + wait.end) / 2),
      cutMs: wait.end - wait.start - drawn(wait),
    }))
    .filter(({ cutMs }) => cutMs > 0);
  return { percentAt, breaks, totalMs: Math.max(1, last - first) };
}

/** The parts of `waits` in which none of `work` was going on, in order and without overlap. */
function idleIn(waits: readonly Interval[], work: readonly Interval[]): Interval[] {
  const edges = [...waits, ...work].flatMap(({ start, end }) => [start, end]);
  const points = [...new Set(edges)].sort((a, b) => a - b);
  const covers = (list: readonly Interval[], { start, end }: Interval) =>
    list.some((each) => each.start < end && each.end > start);
  return points
    .slice(1)
    .map((end, index) => ({ start: points[index] ?? end, end }))
    .filter((part) => covers(waits, part) && !covers(work, part));
}
