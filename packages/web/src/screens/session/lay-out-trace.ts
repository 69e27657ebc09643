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

export function layOut(spans: readonly TraceSpan[]): { placed: PlacedSpan[]; totalMs: number } {
  const starts = spans.map(({ started_at }) => Date.parse(started_at));
  const first = Math.min(...starts);
  const ends = spans.map(({ duration_ms }, index) => (starts[index] ?? first) + duration_ms);
  const totalMs = Math.max(1, Math.max(...ends) - first);
  const placed = spans.map((span, index) => {
    const leftPercent = Math.min(
      100 - THINNEST_PERCENT,
      (((starts[index] ?? first) - first) / totalMs) * 100,
    );
    const wanted = (span.duration_ms / totalMs) * 100;
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
  return { placed, totalMs };
}

function factsOf({ usage }: TraceSpan): string {
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
