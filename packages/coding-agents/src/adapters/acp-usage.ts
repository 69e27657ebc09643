/** Token counts in a prompt's answer: in `usage`, or (Gemini) under `_meta.quota`, or absent. */
import type { CliUsage } from "@capstan/core/internal";
import { asObject, type JsonObject } from "../lines/json-line.ts";
import { uncached, usage } from "./usage-total.ts";

export function acpUsage(result: JsonObject, costUsd: number | undefined): CliUsage | undefined {
  const stated = asObject(result.usage);
  if (stated) return statedUsage(stated, costUsd);
  const quota = asObject(asObject(asObject(result._meta)?.quota)?.token_count);
  if (!quota) return undefined;
  return usage({
    inputTokens: count(quota, "input_tokens"),
    outputTokens: count(quota, "output_tokens"),
    costUsd,
  });
}

function statedUsage(stated: JsonObject, costUsd: number | undefined): CliUsage {
  const input = count(stated, "inputTokens") ?? 0;
  const output = count(stated, "outputTokens") ?? 0;
  const cached = count(stated, "cachedReadTokens") ?? 0;
  // Agents disagree on whether input includes the cached part; their own total decides.
  const isCachedCountedIn = cached > 0 && count(stated, "totalTokens") === input + output;
  return usage({
    inputTokens: isCachedCountedIn ? uncached(input, cached) : input,
    outputTokens: output,
    cachedInputTokens: cached,
    cacheWriteTokens: count(stated, "cachedWriteTokens"),
    thinkingTokens: count(stated, "thoughtTokens"),
    costUsd,
  });
}

function count(record: JsonObject, key: string): number | undefined {
  const value = record[key];
  return typeof value === "number" ? value : undefined;
}
