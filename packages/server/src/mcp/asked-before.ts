/**
 * A call that needs a person, over a protocol that cannot wait days for one: the first call asks, the same call again
 * finds the question still open, or its answer. An answer is handed out once; after that the same call asks anew.
 */
import type { Failure, JsonValue } from "@capstan/core";
import { fail } from "@capstan/core";
import type { GateOutcome } from "@capstan/runtime";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Services } from "../start/services.ts";
import type { McpCaller } from "./mcp-caller.ts";
import { failureAnswer, outputAnswer } from "./tool-answer.ts";

interface AskedRow {
  readonly id: string;
  readonly status: string;
  readonly words: string | null;
  readonly result: { readonly output?: JsonValue; readonly failure?: Failure } | null;
}

const FIND = `select a.id, a.status, a.words, a.result from approvals a
  where a.run_id is null and a.agent_id = $1 and a.user_email = $2 and a.tool = $3 and a.arguments::jsonb = $4::jsonb
    and a.status <> 'cancelled' and (a.status = 'pending' or a.decided_at > now() - interval '1 day')
    and not exists (select 1 from approval_collections c where c.approval_id = a.id)
  order by a.created_at desc limit 1`;
const COLLECT = `insert into approval_collections(approval_id) values ($1) on conflict do nothing returning approval_id`;

export async function askPerson(
  { database, runs }: Services,
  { agent, email }: McpCaller,
  outcome: Extract<GateOutcome, { kind: "approval" }>,
  sessionId: string | undefined,
): Promise<CallToolResult> {
  const { tool, input, why } = outcome;
  const values = [agent.spec.id, email, tool.name, JSON.stringify(input)];
  const { rows } = await database.pool.query<AskedRow>(FIND, values);
  const [asked] = rows;
  if (asked?.status === "pending" || (asked?.status === "approved" && asked.result === null))
    return waits(asked.id, tool.name);
  if (asked && (await database.pool.query(COLLECT, [asked.id])).rows.length > 0)
    return decided(asked, tool.name);
  const approval = await runs.approvals.ask({ agent, tool, input, why, userEmail: email, sessionId });
  return waits(approval.id, tool.name);
}

const waits = (id: string, tool: string): CallToolResult => ({
  ...failureAnswer(fail("approval_required", { tool, id }).failure),
  _meta: { "capstan/approvalId": id },
});

function decided({ id, status, words, result }: AskedRow, tool: string): CallToolResult {
  if (status !== "approved") {
    const why =
      status === "expired" ? "nobody answered in time" : `a person said no${words ? `: ${words}` : ""}`;
    return failureAnswer(fail("tool_denied", { tool, why }).failure);
  }
  const answer = result?.failure ? failureAnswer(result.failure) : outputAnswer(result?.output ?? null);
  return { ...answer, _meta: { "capstan/approvalId": id } };
}
