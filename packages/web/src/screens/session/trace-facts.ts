/** The text beside a span's bar, and the totals of a run. */
import type { Run, TraceSpan } from "@capstan/client";
import { amount, duration, usd } from "../../kit/words.ts";

export const tokensOf = ({ usage }: Pick<TraceSpan, "usage">): { input: number; output: number } => ({
  input: usage?.input_tokens ?? 0,
  output: usage?.output_tokens ?? 0,
});

export const costOf = ({ usage }: Pick<TraceSpan, "usage">): number => usage?.cost_usd ?? 0;

/** "2,052 tok", "approved by ann@example.com", "provider_unavailable". */
export function factsOf(span: TraceSpan): string {
  if (span.kind === "gate")
    return span.decided_by ? `${span.decision} by ${span.decided_by}` : (span.decision ?? "");
  if (span.error) return span.error.code;
  const { input, output } = tokensOf(span);
  return input + output > 0 ? `${amount(input + output)} tok` : "";
}

/** A run in numbers, in the order in which two runs are compared. */
export function runFigures(run: Run, trace: readonly TraceSpan[]): [label: string, value: string][] {
  const { input_tokens = 0, output_tokens = 0, cost_usd, steps, active_ms } = run.usage;
  const tools = trace.filter(({ kind }) => kind === "tool");
  const failed = tools.filter(({ state }) => state === "failed").length;
  return [
    ["Status", run.status],
    ["Model", run.model ?? "none"],
    ["Active time", active_ms === undefined ? "" : duration(active_ms)],
    ["Model calls", amount(steps ?? 0)],
    ["Tool calls", failed > 0 ? `${tools.length}, ${failed} failed` : String(tools.length)],
    ["Input tokens", amount(input_tokens)],
    ["Output tokens", amount(output_tokens)],
    ["Cost", cost_usd ? usd(cost_usd) : "unknown"],
  ];
}
