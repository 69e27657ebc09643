/**
 * A person may allow a tool for the rest of a session. The allowance ends when the agent, the capability or its
 * config changes, and it never covers a call that a check asks about individually, or one that changes rights.
 */
import type { RuntimeAgent, RuntimeTool } from "@capstan/core";
import type pg from "pg";
import { approvalPin } from "./approval-pin.ts";
import type { Approval } from "./approvals.ts";

const SEPARATOR = "#"; // in no capability's or tool's name

const entry = (capabilityId: string, tool: string, pin: string): string =>
  `${capabilityId}/${tool}${SEPARATOR}${pin}`;

const IS_ALLOWED = "select 1 from sessions where id = $1 and allowed_tools ? $2";

/** Read at each call, so that revoking it takes effect at once. */
export async function isAllowedInSession(
  pool: pg.Pool,
  sessionId: string,
  agent: RuntimeAgent,
  tool: RuntimeTool,
): Promise<boolean> {
  if (tool.tool.changesRights) return false;
  const wanted = entry(tool.capabilityId, tool.name, approvalPin(agent, tool));
  return ((await pool.query(IS_ALLOWED, [sessionId, wanted])).rowCount ?? 0) > 0;
}

const ALLOW = `update sessions set allowed_tools = allowed_tools || to_jsonb($2::text)
  where id = $1 and not allowed_tools ? $2`;

/** Within the transaction of the answer. */
export async function allowInSession(client: pg.PoolClient, approval: Approval): Promise<void> {
  const { sessionId, capabilityId, tool, pin } = approval;
  if (pin !== null) await client.query(ALLOW, [sessionId, entry(capabilityId, tool, pin)]);
}

/** For display: `capability/tool`. */
export const allowedTool = (allowance: string): string => allowance.split(SEPARATOR, 1)[0] ?? allowance;
