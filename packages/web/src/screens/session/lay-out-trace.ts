/** Where each span of a trace stands in its run, in percent of the whole. */
import type { TraceSpan } from "@capstan/client";

export interface PlacedSpan {
  readonly kind: string;
  readonly name: string;
  readonly durationMs: number;
  readonly leftPercent: number;
  readonly widthPercent: number;
  /** Tokens and cost, where the span has them. */
  readonly facts: string;
  readonly failed: string | undefined;
}

const THINNEST_PERCENT = 0.6; // a span of a millisecond must still be seen

const WAIT_SHARE = 0.08; // of the time that something worked: people take hours, and the rest must still be seen

export function layOut(spans: readonly TraceSpan[]): { placed: PlacedSpan[]; totalMs: number } {
  const axis = axisOf(spans);
  const placed = spans.map((span) => {
    const from = axis.percentAt(Date.parse(span.started_at));
    const leftPercent = Math.min(100 - THINNEST_PERCENT, from);
    const wanted = axis.percentAt(Date.parse(span.started_at) + span.duration_ms) - from;
    return {
      kind: span.kind,
      name: span.name,
      durationMs: span.duration_ms,
      leftPercent,
      widthPercent: Math.min(100 - leftPercent, Math.max(THINNEST_PERCENT, wanted)),
      facts: factsOf(span),
      failed: failedOf(span),
    };
  });
  return { placed, totalMs: axis.totalMs };
}

interface Interval {
  readonly start: number;
  readonly end: number;
}

/** Time in which nobody but a person was waited for is drawn short, however long it was. */
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
  return { percentAt: (ms: number) => (at(ms) / whole) * 100, totalMs: Math.max(1, last - first) };
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

function factsOf({ usage, kind, decision, decided_by }: TraceSpan): string {
  if (kind === "gate" && typeof decision === "string")
    return decided_by ? `${decision} by ${decided_by}` : decision;
  if (usage === null || typeof usage !== "object") return "";
  const { inputTokens, outputTokens, input_tokens, output_tokens } = usage as Record<string, unknown>;
  const total = [inputTokens ?? input_tokens, outputTokens ?? output_tokens].reduce<number>(
    (sum, each) => sum + (typeof each === "number" ? each : 0),
    0,
  );
  return total > 0 ? `${total} tok` : "";
}

const failedOf = ({ failure_class }: TraceSpan): string | undefined =>
  typeof failure_class === "string" && failure_class !== "success"
    ? failure_class.replaceAll("_", " ")
    : undefined;
