/** /v1/usage: tokens, cost and tools. */
import { ok, type Result } from "@capstan/core";
import type { Connection } from "../connection.ts";
import type { Items } from "../wire/page.ts";
import type { ToolUsage, ToolUsageQuery, Usage, UsageQuery } from "../wire/usage.ts";

export interface Period {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const usageEndpoints = ({ json, send }: Connection) => ({
  get: (query: UsageQuery = {}, signal?: AbortSignal) =>
    json<Usage>("GET", "/v1/usage", { query: { ...query }, signal }),
  tools: (query: ToolUsageQuery = {}, signal?: AbortSignal) =>
    json<Items<ToolUsage>>("GET", "/v1/usage/tools", { query: { ...query }, signal }),
  /** As CSV: a row for each time, agent, model and user. */
  async export(query: Period = {}, signal?: AbortSignal): Promise<Result<string>> {
    const sent = await send("GET", "/v1/usage/export", { query: { ...query }, signal });
    return sent.ok ? ok(await sent.value.text()) : sent;
  },
});
