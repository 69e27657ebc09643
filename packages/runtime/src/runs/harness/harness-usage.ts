/** Token counts of a program's run: it reports totals, our meter counts per message, so each message gets the difference. */
import type { CliUsage, TokenUsage } from "@capstan/core/internal";
import type { RunMeter } from "../context/run-meter.ts";
import type { HarnessDriver } from "../contract/harness-driver.ts";
import type { StoredUsage } from "../log/stored-call.ts";

type Counts = { readonly [Name in keyof typeof ZERO]: number };

const ZERO = { input: 0, output: 0, cached: 0, written: 0, thinking: 0 };

export class HarnessUsage {
  readonly #driver: HarnessDriver;
  #total: Counts = ZERO;
  #counted: Counts = ZERO;
  /** Of the run so far, from the program or its price list. */
  #costUsd: number | undefined;
  #countedUsd = 0;
  model: string | undefined;

  constructor(driver: HarnessDriver) {
    this.#driver = driver;
  }

  set total(usage: CliUsage) {
    const {
      cachedInputTokens: cached = 0,
      cacheWriteTokens: written = 0,
      thinkingTokens: thinking = 0,
    } = usage;
    const input = usage.inputTokens + cached + written; // our input count includes the cached ones
    this.#total = { input, output: usage.outputTokens, cached, written, thinking };
    this.#costUsd = usage.costUsd ?? this.#costUsd;
  }

  /** Tokens not yet assigned to a message. */
  get uncounted(): number {
    return this.#new.input + this.#new.output;
  }

  /** Adds the difference to the meter; undefined when there is none. */
  count(meter: RunMeter): StoredUsage | undefined {
    if (this.uncounted <= 0) return undefined;
    const { input, output, cached, written, thinking } = this.#new;
    this.#counted = this.#total;
    const usage: TokenUsage = {
      provider: this.#driver.name,
      ...(this.model !== undefined && { model: this.model }),
      inputTokens: input,
      outputTokens: output,
      totalTokens: input + output,
      ...(cached > 0 && { cachedInputTokens: cached }),
      ...(written > 0 && { cacheWriteInputTokens: written }),
      ...(thinking > 0 && { reasoningTokens: thinking }),
    };
    const costUsd = this.#costUsd === undefined ? undefined : Math.max(0, this.#costUsd - this.#countedUsd);
    this.#countedUsd = Math.max(this.#countedUsd, this.#costUsd ?? 0);
    return meter.add(usage, this.#driver.prices(this.model), costUsd);
  }

  get #new(): Counts {
    const since = (name: keyof Counts) => Math.max(0, this.#total[name] - this.#counted[name]);
    return {
      input: since("input"),
      output: since("output"),
      cached: since("cached"),
      written: since("written"),
      thinking: since("thinking"),
    };
  }
}
