/** Totals of runs since this process started: outcomes, durations, tokens by model, cost, scores of monitors. */
import { createHistogram, type EndedRun, type Histogram, type WebhookAttempt } from "@capstan/runtime";

/** In seconds of work, without waiting for people. */
const RUN_BOUNDS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];

export interface RunTotals {
  add(run: EndedRun): void;
  addWebhook(result: WebhookAttempt["result"]): void;
  addScored(result: "scored" | "failed"): void;
  addAlert(): void;
  /** Live runs chosen by monitors, by outcome. */
  readonly scored: ReadonlyMap<"scored" | "failed", number>;
  alerts(): number;
  /** Attempts to call webhooks, by outcome. */
  readonly webhooks: ReadonlyMap<WebhookAttempt["result"], number>;
  readonly ended: ReadonlyMap<EndedRun["end"], number>;
  readonly seconds: Histogram;
  /** By model and kind (`input`, `output`, `cached_input`, `reasoning`). */
  readonly tokens: ReadonlyMap<string, { model: string; kind: string; count: number }>;
  costUsd(): number;
}

export function createRunTotals(): RunTotals {
  const ended = new Map<EndedRun["end"], number>();
  const webhooks = new Map<WebhookAttempt["result"], number>();
  const seconds = createHistogram(RUN_BOUNDS);
  const tokens = new Map<string, { model: string; kind: string; count: number }>();
  const scored = new Map<"scored" | "failed", number>();
  let [cost, alerts] = [0, 0];
  const count = (model: string, kind: string, more: number | undefined) => {
    if (!more) return;
    const key = `${model} ${kind}`;
    tokens.set(key, { model, kind, count: (tokens.get(key)?.count ?? 0) + more });
  };
  return {
    add({ end, usage }) {
      ended.set(end, (ended.get(end) ?? 0) + 1);
      seconds.add(usage.activeMs / 1000);
      cost += usage.costUsd - (usage.childCostUsd ?? 0);
      for (const { provider = "unknown", model = "unknown", ...used } of usage.tokens) {
        const name = `${provider}/${model}`;
        count(name, "input", used.inputTokens);
        count(name, "output", used.outputTokens);
        count(name, "cached_input", used.cachedInputTokens);
        count(name, "reasoning", used.reasoningTokens);
      }
    },
    addWebhook: (result) => void webhooks.set(result, (webhooks.get(result) ?? 0) + 1),
    addScored: (result) => void scored.set(result, (scored.get(result) ?? 0) + 1),
    addAlert: () => void alerts++,
    scored,
    alerts: () => alerts,
    webhooks,
    ended,
    seconds,
    tokens,
    costUsd: () => cost,
  };
}
