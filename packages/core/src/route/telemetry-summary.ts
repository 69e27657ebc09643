/** Execution telemetry: one record per step, and the summary of GET /api/execution-telemetry. No payloads, ever. */
import { z } from "zod";

const FAILURE_CLASSES = ["success", "http_error", "runtime_error", "dry_run"] as const;

export const telemetryRecord = z.object({
  ts: z.iso.datetime(),
  capabilityId: z.string(),
  step: z.int().min(1),
  latencyMs: z.number().min(0),
  failureClass: z.enum(FAILURE_CLASSES),
  /** True when the secondary step was used. */
  fallbackUsed: z.boolean(),
  /** HTTP status, when there was one. */
  status: z.int().optional(),
  /** Number of attempts, when more than one. */
  attempts: z.int().min(2).optional(),
});
export type StepRecord = z.output<typeof telemetryRecord>;

export interface TelemetrySummary {
  readonly total: number;
  readonly successful: number;
  /** Rates and averages cover executed steps only: neither dry runs nor skipped steps count. */
  readonly successRate: number;
  readonly fallbackUsed: number;
  readonly fallbackRate: number;
  readonly avgLatencyMs: number;
  readonly byCapability: Readonly<Record<string, { count: number; errors: number; avgLatencyMs: number }>>;
  readonly latestTimestamp: string | null;
}

/** The class of one executed step. */
export function failureClass({
  ok,
  status,
  dryRun,
}: {
  readonly ok: boolean;
  readonly status?: number | undefined;
  readonly dryRun: boolean;
}): StepRecord["failureClass"] {
  if (dryRun) return "dry_run";
  if (ok) return "success";
  return status === undefined ? "runtime_error" : "http_error";
}

export function summarise(records: readonly StepRecord[]): TelemetrySummary {
  const ran = records.filter(hasRun);
  const successful = ran.filter(({ failureClass }) => failureClass === "success").length;
  const fallbackUsed = ran.filter((record) => record.fallbackUsed).length;
  const ids = [...new Set(records.map(({ capabilityId }) => capabilityId))].sort();
  const latest = records.reduce<string | null>(
    (last, { ts }) => (last === null || ts > last ? ts : last),
    null,
  );
  return {
    total: records.length,
    successful,
    successRate: ratio(successful, ran.length),
    fallbackUsed,
    fallbackRate: ratio(fallbackUsed, ran.length),
    avgLatencyMs: averageLatency(ran),
    byCapability: Object.fromEntries(
      ids.map((id) => {
        const own = records.filter(({ capabilityId }) => capabilityId === id);
        return [
          id,
          {
            count: own.length,
            errors: own.filter(isError).length,
            avgLatencyMs: averageLatency(own.filter(hasRun)),
          },
        ];
      }),
    ),
    latestTimestamp: latest,
  };
}

const hasRun = ({ failureClass }: StepRecord): boolean => failureClass !== "dry_run";

const isError = ({ failureClass }: StepRecord): boolean =>
  failureClass === "http_error" || failureClass === "runtime_error";

const ratio = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000;

const averageLatency = (records: readonly StepRecord[]): number =>
  records.length === 0
    ? 0
    : Math.round(records.reduce((sum, { latencyMs }) => sum + latencyMs, 0) / records.length);
