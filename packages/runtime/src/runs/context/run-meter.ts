/** Counts the steps, time, tokens and cost of a run, and compares them with its limits. */
import { type Failure, fail, type RunLimits } from "@capstan/core";
import type { Budget, TokenUsage } from "@capstan/core/internal";
import type { ModelPrices } from "../../providers/models.ts";
import type { DefaultLimits, RunUsage } from "../contract/run-types.ts";
import { callParts, readCall, type StoredUsage } from "../log/stored-call.ts";

export const DEFAULT_LIMITS: DefaultLimits = { maxSteps: 50, maxSeconds: 1800 };

const CACHE_WRITE_MARKUP = 1.25; // the usual price for writing a cache where none is listed

/** In US dollars. Cached tokens are part of the input count and have their own price. */
export function costUsd(prices: ModelPrices | undefined, usage: TokenUsage): number {
  if (!prices) return 0;
  const cached = usage.cachedInputTokens ?? 0;
  const written = usage.cacheWriteInputTokens ?? 0;
  const plain = Math.max(0, (usage.inputTokens ?? 0) - cached - written);
  return (
    (plain * prices.input +
      cached * (prices.cachedInput ?? prices.input) +
      written * (prices.cacheWrite ?? prices.input * CACHE_WRITE_MARKUP) +
      (usage.outputTokens ?? 0) * prices.output) /
    1_000_000
  );
}

/** The lower of the agent's limit and the message's; the server's default where neither sets one. */
export function effectiveLimits(
  agent: RunLimits,
  asked: RunLimits | undefined,
  defaults: DefaultLimits,
): DefaultLimits {
  const lower = (name: keyof RunLimits): number | undefined => {
    const own = agent[name] ?? defaults[name];
    const wanted = asked?.[name];
    return own === undefined || (wanted !== undefined && wanted < own) ? wanted : own;
  };
  const maxTokens = lower("maxTokens");
  const maxCostUsd = lower("maxCostUsd");
  return {
    maxSteps: lower("maxSteps") ?? defaults.maxSteps,
    maxSeconds: lower("maxSeconds") ?? defaults.maxSeconds,
    ...(maxTokens !== undefined && { maxTokens }),
    ...(maxCostUsd !== undefined && { maxCostUsd }),
  };
}

export class RunMeter {
  readonly limits: DefaultLimits;
  readonly #clock: () => number;
  readonly #since: number;
  readonly #earlierMs: number;
  #steps = 0;
  #costUsd = 0;
  #tokens: readonly TokenUsage[] = [];
  #segmentTokens: readonly TokenUsage[] = [];
  #childTokens = 0;
  #childCostUsd = 0;

  /** `before`: usage that earlier segments of the run stored with their messages. */
  constructor(
    limits: DefaultLimits,
    before: { readonly usages: readonly StoredUsage[]; readonly activeMs: number },
    clock: () => number = () => performance.now(),
  ) {
    this.limits = limits;
    this.#clock = clock;
    this.#since = clock();
    this.#earlierMs = before.activeMs;
    for (const stored of before.usages) {
      const { costUsd: cost = 0, ...usage } = callParts(readCall(stored)).usage;
      this.#add(usage, cost);
    }
  }

  /** `knownCostUsd`: the cost reported by a program; otherwise computed from prices. */
  add(usage: TokenUsage, prices: ModelPrices | undefined, knownCostUsd?: number): StoredUsage {
    const cost = knownCostUsd ?? costUsd(prices, usage);
    this.#add(usage, cost);
    this.#segmentTokens = withUsage(this.#segmentTokens, usage);
    const isKnown = prices !== undefined || knownCostUsd !== undefined;
    return { ...(usage as StoredUsage), ...(isKnown && { costUsd: cost }) };
  }

  /** Adds the usage of a child run: it counts against the same limits, and the child reports it. */
  addChild(usage: RunUsage): void {
    this.#costUsd += usage.costUsd;
    this.#childCostUsd += usage.costUsd;
    this.#childTokens += usage.tokens.reduce((sum, { totalTokens = 0 }) => sum + totalTokens, 0);
  }

  get activeMs(): number {
    return this.#earlierMs + this.#clock() - this.#since;
  }

  get leftMs(): number {
    return this.limits.maxSeconds * 1000 - this.activeMs;
  }

  get usage(): RunUsage {
    return {
      steps: this.#steps,
      activeMs: Math.round(this.activeMs),
      costUsd: this.#costUsd,
      ...(this.#childCostUsd > 0 && { childCostUsd: this.#childCostUsd }),
      tokens: this.#tokens,
    };
  }

  /** Tokens of this segment alone, for its last event. */
  get segmentTokens(): readonly TokenUsage[] {
    return this.#segmentTokens;
  }

  get totalTokens(): number {
    return this.#childTokens + this.#tokens.reduce((sum, { totalTokens = 0 }) => sum + totalTokens, 0);
  }

  /** The remaining limits, for a run that this one starts. */
  get left(): RunLimits {
    const { maxTokens, maxCostUsd } = this.limits;
    return {
      maxSeconds: Math.max(1, Math.floor(this.leftMs / 1000)),
      ...(maxTokens !== undefined && { maxTokens: Math.max(0, maxTokens - this.totalTokens) }),
      ...(maxCostUsd !== undefined && { maxCostUsd: Math.max(0, maxCostUsd - this.#costUsd) }),
    };
  }

  /** For the gate, which reports the first exhausted one. */
  budgets(): Budget[] {
    const { maxSeconds, maxTokens, maxCostUsd } = this.limits;
    return [
      { name: "time in seconds", used: this.activeMs / 1000, limit: maxSeconds },
      ...(maxTokens === undefined ? [] : [{ name: "tokens", used: this.totalTokens, limit: maxTokens }]),
      ...(maxCostUsd === undefined ? [] : [{ name: "cost in USD", used: this.#costUsd, limit: maxCostUsd }]),
    ];
  }

  /** The limit that forbids another model call, if any. */
  get exceeded(): Failure | undefined {
    const { maxSteps, maxSeconds, maxTokens, maxCostUsd } = this.limits;
    if (this.#steps >= maxSteps) return fail("run_step_limit", { limit: maxSteps }).failure;
    if (this.leftMs <= 0) return fail("run_time_limit", { limitSeconds: maxSeconds }).failure;
    if (maxTokens !== undefined && this.totalTokens >= maxTokens) {
      return fail("run_token_limit", { limit: maxTokens, used: this.totalTokens }).failure;
    }
    if (maxCostUsd !== undefined && this.#costUsd >= maxCostUsd) {
      return fail("run_cost_limit", { limitUsd: maxCostUsd, usedUsd: this.#costUsd }).failure;
    }
    return undefined;
  }

  #add(usage: TokenUsage, cost: number): void {
    this.#steps++;
    this.#costUsd += cost;
    this.#tokens = withUsage(this.#tokens, usage);
  }
}

/** One entry per provider and model. */
function withUsage(entries: readonly TokenUsage[], usage: TokenUsage): readonly TokenUsage[] {
  const at = entries.findIndex(({ provider, model }) => provider === usage.provider && model === usage.model);
  const before = entries[at];
  return before ? entries.with(at, summed(before, usage)) : [...entries, usage];
}

const COUNTS = [
  "inputTokens",
  "outputTokens",
  "totalTokens",
  "reasoningTokens",
  "cachedInputTokens",
  "cacheWriteInputTokens",
] as const;

/** A count that neither reports stays absent; absent is not zero. */
function summed(a: TokenUsage, b: TokenUsage): TokenUsage {
  const counts = COUNTS.flatMap((name) =>
    a[name] === undefined && b[name] === undefined ? [] : [[name, (a[name] ?? 0) + (b[name] ?? 0)]],
  );
  return { ...a, ...Object.fromEntries(counts) };
}
