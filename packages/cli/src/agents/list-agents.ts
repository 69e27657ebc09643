/** Every agent of a server, page by page. */
import type { Agent, Api } from "@capstan/client";
import { ok, type Result } from "@capstan/core";

export async function allAgents({ agents }: Api): Promise<Result<Agent[]>> {
  const all: Agent[] = [];
  let cursor: string | undefined;
  do {
    const page = await agents.list({ limit: 200, ...(cursor !== undefined && { cursor }) });
    if (!page.ok) return page;
    all.push(...page.value.items);
    cursor = page.value.next_cursor;
  } while (cursor !== undefined);
  return ok(all);
}
