/**
 * A call that requires approval, over a protocol that cannot wait days for it: the first call asks, repeating it
 * finds the question still pending, or its answer. An answer is delivered once; after that the same call asks again.
 */
import { fail } from "@capstan/core";
import {
  type AskedBefore,
  collectAnswer,
  type Database,
  findAsked,
  type GateOutcome,
  type Runs,
} from "@capstan/runtime";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { McpCaller } from "./mcp-caller.ts";
import { failureAnswer, outputAnswer } from "./tool-answer.ts";

export interface AskPersonParts {
  readonly database: Database;
  readonly runs: Runs;
}

export async function askPerson(
  { database, runs }: AskPersonParts,
  { agent, email }: McpCaller,
  outcome: Extract<GateOutcome, { kind: "approval" }>,
  call: { readonly callId: string; readonly sessionId: string | undefined },
): Promise<CallToolResult> {
  const { tool, input, why, ask } = outcome;
  const asked = await findAsked(database, { agentId: agent.spec.id, email, tool: tool.name, input });
  if (asked?.status === "pending" || (asked?.status === "approved" && asked.result === null))
    return waits(asked.id, tool.name);
  if (asked && (await collectAnswer(database, asked.id))) return decided(asked, tool.name);
  const approval = await runs.approvals.ask({ ...call, agent, tool, input, why, ask, userEmail: email });
  return waits(approval.id, tool.name);
}

const waits = (id: string, tool: string): CallToolResult => ({
  ...failureAnswer(fail("approval_required", { tool, id }).failure),
  _meta: { "capstan/approvalId": id },
});

function decided({ id, status, words, result }: AskedBefore, tool: string): CallToolResult {
  if (status !== "approved") {
    const why =
      status === "expired" ? "it was not answered in time" : `a person denied it${words ? `: ${words}` : ""}`;
    return failureAnswer(fail("tool_denied", { tool, why }).failure);
  }
  const answer = result?.failure ? failureAnswer(result.failure) : outputAnswer(result?.output ?? null);
  return { ...answer, _meta: { "capstan/approvalId": id } };
}
