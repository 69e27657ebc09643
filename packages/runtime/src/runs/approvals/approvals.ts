/**
 * The inbox: calls that wait for approval. An answer is one transaction that locks the run's row: it counts
 * once, whoever gives it, and the last answer of a run starts its next segment, even days later.
 */
import { fail, type JsonValue, ok, type Result, type RuntimeAgent, type RuntimeTool } from "@capstan/core";
import { type ApprovalExpiry, expiryOf, mayAnswer, type RuleAsk } from "@capstan/core/internal";
import type pg from "pg";
import { uuidv7 } from "uuidv7";
import { allowMore, budgetOf } from "../../budgets/allow-more.ts";
import { type Place, pageOf } from "../../db/keyset.ts";
import { inTransaction } from "../../db/transaction.ts";
import { isUuid } from "../../db/uuid.ts";
import type { GateOutcome } from "../../gate/gate.ts";
import type { ConfigSeal } from "../../users/config-seal.ts";
import { CLAIM_WAITING } from "../claim/claim-statements.ts";
import type { ClaimRow } from "../claim/claims.ts";
import { storableJson } from "../log/storable-json.ts";
import type { ApprovalKind } from "./approval-kind.ts";
import { approvalPin } from "./approval-pin.ts";
import { askedPerson } from "./asked-person.ts";
import { type BudgetQuestions, NOTHING_MORE, pendingOfBudget } from "./budget-questions.ts";
import { CHECKS } from "./check-answers.ts";
import { executeApproved } from "./execute-approved.ts";
import { escalateOverdue, FIND_OVERDUE, IS_IN_TIME } from "./expiry-statements.ts";
import { allowInSession } from "./session-allowance.ts";

export type ApprovalStatus = "pending" | "approved" | "denied" | "expired" | "cancelled";

export interface Approval {
  readonly id: string;
  readonly kind: ApprovalKind;
  readonly runId: string | null;
  readonly sessionId: string | null;
  readonly agentId: string;
  readonly userEmail: string;
  readonly capabilityId: string;
  readonly tool: string;
  readonly callId: string;
  readonly arguments: JsonValue;
  /** Identifies what was asked for: see `approvalPin`. */
  readonly pin: string | null;
  readonly reason: string;
  /** Whether an approval may apply to the rest of the session. */
  readonly allowable: boolean;
  readonly status: ApprovalStatus;
  readonly expiry: ApprovalExpiry;
  readonly expiresAt: Date | null;
  readonly assignee: string;
  readonly assigneeOnly: boolean;
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
  readonly words: string | null;
  readonly editedArguments: JsonValue;
  readonly config: JsonValue;
  /** The outcome of a call without a run: its output, or a failure. */
  readonly result: JsonValue;
  readonly createdAt: Date;
  readonly sessionTitle: string | null;
  /** The start of the message that the agent was answering. */
  readonly asked: string | null;
}

export interface Decision {
  readonly approve: boolean;
  /** Who decided. */
  readonly by: string;
  /** Whether they are an admin: others may only answer what they asked for or were asked. */
  readonly isAdmin?: boolean;
  /** Whether the agent is shared with them to answer its approvals. */
  readonly isApprover?: boolean | undefined;
  /** Shown to the model. */
  readonly words?: string | undefined;
  /** Replaces the model's arguments; validated by the tool's schema again. */
  readonly editedArguments?: JsonValue | undefined;
  /** The requested account is connected; set by the code that connects it, never by a request. */
  readonly connected?: boolean;
  /** The tool need not ask again in this session. */
  readonly forSession?: boolean | undefined;
}

export interface ApprovalFilter {
  readonly status?: ApprovalStatus | undefined;
  readonly sessionId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly assignee?: string | undefined;
  /** Only approvals that this person requested or is assigned to. */
  readonly visibleTo?: string | undefined;
  /** And those about calls of these agents. */
  readonly approverOf?: readonly string[] | undefined;
  /** In the tool, the capability or the reason, in any letter case. */
  readonly text?: string | undefined;
  readonly limit: number;
  /** Where the page before ended. */
  readonly after?: Place | undefined;
}

/** A call that came without a run, such as over REST. */
export interface DirectCall {
  /** The gate's id of the call that is asked about. */
  readonly callId: string;
  readonly agent: RuntimeAgent;
  readonly tool: RuntimeTool;
  readonly input: unknown;
  readonly why: string;
  readonly ask?: RuleAsk | undefined;
  readonly userEmail: string;
  readonly sessionId?: string | undefined;
}

export interface ApprovalParts {
  readonly pool: pg.Pool;
  readonly executorId: string;
  readonly now: () => Date;
  /** The agent that asked; for a call without one, an anonymous agent with its capability. */
  readonly agentOf: (approval: Approval) => Promise<Result<RuntimeAgent>>;
  /** Resumes a run whose last approval was answered, with the current rights. */
  readonly resume: (row: ClaimRow, answered: Approval) => Promise<void>;
  /** Makes an approved call that has no run. */
  readonly execute: (approval: Approval, agent: RuntimeAgent) => Promise<GateOutcome>;
  /** Who answers calls that change rights, besides admins. */
  readonly rightsApprover?: string | undefined;
  readonly audit: (entry: { actor: string; action: string; subject: string; details: object }) => void;
  /** A call without an agent is made later with this config; its secrets are sealed. */
  readonly sealConfig: ConfigSeal["seal"];
}

export interface Approvals {
  list(filter: ApprovalFilter): Promise<{ items: Approval[]; nextCursor?: string }>;
  get(id: string): Promise<Result<Approval>>;
  answer(id: string, decision: Decision): Promise<Result<Approval>>;
  /** What `answer` would refuse: for several answers that count together or not at all. */
  check(id: string, decision: Decision): Promise<Result<true>>;
  /** There is more of a budget: runs that wait for it try again. */
  releaseBudget(questions: BudgetQuestions, by: string): Promise<void>;
  /** Puts a call that came without a run into the inbox. */
  ask(call: DirectCall): Promise<Approval>;
  /** Applies the expiry policy to approvals whose time has passed. */
  expire(): Promise<void>;
  /** Makes approved calls that a crash prevented. */
  executeMissed(): Promise<void>;
}

const COLUMNS = `id, kind, run_id as "runId", session_id as "sessionId", agent_id as "agentId", user_email as "userEmail",
  capability_id as "capabilityId", tool, call_id as "callId", arguments, pin, reason, allowable, status, expiry,
  expires_at as "expiresAt", assignee, assignee_only as "assigneeOnly", decided_by as "decidedBy", decided_at as "decidedAt", words,
  edited_arguments as "editedArguments", config, result, created_at as "createdAt",
  (select title from sessions where sessions.id = approvals.session_id) as "sessionTitle",
  (select left(string_agg(part->>'text', ' '), 300) from messages, json_array_elements(messages.content) as part
    where messages.session_id = approvals.session_id and messages.position = (select max(position) from messages said
      where said.session_id = approvals.session_id and said.run_id = approvals.run_id and said.role = 'user')
    and part->>'type' = 'text' and part->>'origin' is null) as asked`;

const LIST = `select ${COLUMNS}, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as at
  from approvals where ($1::text is null or status = $1)
    and ($2::uuid is null or session_id = $2) and ($3::text is null or assignee = $3)
    and ($4::text is null or (created_at, id) < ($4::timestamp at time zone 'UTC', $5::uuid))
    and ($6::text is null or user_email = $6 or assignee = $6 or (kind = 'tool' and agent_id::text = any($10::text[]))) and ($7::text is null or agent_id::text = $7)
    and ($8::text is null or position(lower($8) in lower(tool || chr(10) || capability_id || chr(10) || reason)) > 0)
  order by created_at desc, id desc limit $9`;
const GET = `select ${COLUMNS} from approvals where id = $1`;
const DECIDE = `update approvals set status = $2, decided_by = $3, decided_at = now(), words = $4,
  edited_arguments = $5::json where id = $1 and status = 'pending'
    and ($2 <> 'approved' or ${IS_IN_TIME}) returning ${COLUMNS}`;
const ESCALATE = escalateOverdue(COLUMNS);
const LOCK_RUN = "select id from runs where id = $1 for update";
const MISSED = `select ${COLUMNS} from approvals where status = 'approved' and run_id is null and result is null
  and decided_at < now() - interval '5 seconds' limit 20`;

export function createApprovals(parts: ApprovalParts): Approvals {
  const { pool, audit } = parts;
  const get = async (id: string): Promise<Result<Approval>> => {
    const { rows } = isUuid(id) ? await pool.query<Approval>(GET, [id]) : { rows: [] };
    return rows[0] ? ok(rows[0]) : fail("not_found", { what: "approval", id });
  };
  const releaseBudget: Approvals["releaseBudget"] = async (questions, by) => {
    for (const id of await pendingOfBudget(pool, questions)) {
      const asked = await get(id);
      if (asked.ok)
        await decide(parts, asked.value, { by, status: "approved", editedArguments: NOTHING_MORE });
    }
  };
  const afterAnswer = async (decided: Approval, { approve, by }: Decision): Promise<Approval> => {
    if (decided.kind === "budget" && approve) await releaseBudget(budgetOf(decided.arguments), by);
    return executeApproved(parts, decided);
  };
  return {
    get,
    releaseBudget,
    async list({ status, sessionId, agentId, assignee, visibleTo, approverOf = [], text, limit, after }) {
      const filters = [status, sessionId, assignee, after?.at, after?.id, visibleTo, agentId, text];
      const values = [...filters.map((value) => value ?? null), limit + 1, [...approverOf]];
      const { rows } = await pool.query<Approval & Place>(LIST, values);
      const { items, ...next } = pageOf(rows, limit, ({ at, id }) => ({ at, id }));
      return { items: items.map(({ at: _, ...approval }) => approval), ...next };
    },
    async check(id, decision) {
      const asked = await get(id);
      return asked.ok ? checkAnswer(parts, asked.value, decision) : asked;
    },
    async answer(id, decision) {
      const asked = await get(id);
      if (!asked.ok) return asked;
      const checked = await checkAnswer(parts, asked.value, decision);
      if (!checked.ok) return checked;
      const decided = await decide(parts, asked.value, {
        ...decision,
        status: decision.approve ? "approved" : "denied",
      });
      if (decided) return ok(await afterAnswer(decided, decision));
      const now = await get(id);
      return now.ok ? refuseLateAnswer(parts, now.value) : now;
    },
    ask: (call) => storeDirect(parts, call),
    async expire() {
      const escalated = await pool.query<Approval>(ESCALATE);
      for (const { id, tool, assignee } of escalated.rows) {
        audit({ actor: "capstan", action: "approval.escalated", subject: id, details: { tool, assignee } });
      }
      const { rows } = await pool.query<{ id: string }>(FIND_OVERDUE);
      for (const { id } of rows) {
        const asked = await get(id);
        if (asked.ok) await decide(parts, asked.value, { by: "capstan", status: "expired" });
      }
    },
    async executeMissed() {
      const { rows } = await pool.query<Approval>(MISSED);
      for (const approval of rows) await executeApproved(parts, approval);
    },
  };
}

/** Whether this person may give this answer, and whether it still matches what would run. */
async function checkAnswer(
  parts: ApprovalParts,
  approval: Approval,
  decision: Decision,
): Promise<Result<true>> {
  if (!decision.approve && decision.editedArguments !== undefined)
    return fail("input_invalid", { where: "edited arguments: only a call that is approved has any" });
  if (approval.kind !== "tool") return CHECKS[approval.kind](parts.rightsApprover, approval, decision);
  return checkToolAnswer(parts, approval, decision);
}

async function checkToolAnswer(
  parts: ApprovalParts,
  approval: Approval,
  { approve, by, isAdmin = false, isApprover, editedArguments, forSession = false }: Decision,
): Promise<Result<true>> {
  const agent = await parts.agentOf(approval);
  const tool = agent.ok ? agent.value.tools.find(({ name }) => name === approval.tool) : undefined;
  const may = mayAnswer(
    { email: by, isAdmin, isApprover },
    { ...approval, changesRights: tool?.tool.changesRights ?? false },
    { approve, edits: editedArguments !== undefined, forSession },
    parts.rightsApprover,
  );
  if (!may.ok || !approve) return may;
  if (!agent.ok) return agent;
  if (!tool) return ok(true); // the gate reports why the tool is missing
  const pin = approvalPin(agent.value, tool);
  if (pin !== approval.pin) return askAnew(parts, approval, pin);
  if (forSession && (!approval.allowable || tool.tool.changesRights)) return onceOnly(approval, tool);
  return editedArguments === undefined ? ok(true) : checkEdits(tool, editedArguments);
}

const onceOnly = ({ tool }: Approval, { tool: { changesRights } }: RuntimeTool): Result<never> =>
  fail("approval_once_only", {
    tool,
    why: changesRights ? "it changes rights" : "a check of this call asks, not the tool's policy",
  });

/** Edited arguments are validated before the answer counts, so that the person can correct them. */
function checkEdits({ name, tool }: RuntimeTool, editedArguments: JsonValue): Result<true> {
  const parsed = tool.input.parse(editedArguments);
  return parsed.ok ? ok(true) : fail("tool_input_invalid", { tool: name, where: parsed.where });
}

/** The answer was for something else: the question stays pending, updated to what would run now. */
async function askAnew({ pool }: ApprovalParts, { id, tool }: Approval, pin: string): Promise<Result<never>> {
  await pool.query("update approvals set pin = $2 where id = $1 and status = 'pending'", [id, pin]);
  return fail("approval_changed", { id, tool });
}

interface Deciding {
  readonly status: ApprovalStatus;
  readonly by: string;
  readonly words?: string | undefined;
  readonly editedArguments?: JsonValue | undefined;
  readonly forSession?: boolean | undefined;
}

/** Undefined when it was already decided. */
async function decide(
  { pool, executorId, resume, audit }: ApprovalParts,
  { id, runId }: Approval,
  { status, by, words, editedArguments, forSession = false }: Deciding,
): Promise<Approval | undefined> {
  const edited = editedArguments === undefined ? null : storableJson(editedArguments);
  const { decided, row } = await inTransaction(pool, async (client) => {
    if (runId !== null) await client.query(LOCK_RUN, [runId]);
    const { rows } = await client.query<Approval>(DECIDE, [id, status, by, words ?? null, edited]);
    if (rows[0] && forSession) await allowInSession(client, rows[0]);
    if (rows[0]?.kind === "budget" && status === "approved")
      await allowMore(client, rows[0].arguments, rows[0].editedArguments);
    if (!rows[0] || runId === null) return { decided: rows[0], row: undefined };
    const resumed = await client.query<ClaimRow>(CLAIM_WAITING, [runId, executorId]);
    return { decided: rows[0], row: resumed.rows[0] };
  });
  if (!decided) return undefined;
  const { tool, sessionId } = decided;
  audit({
    actor: by,
    action: `approval.${status}`,
    subject: id,
    details: { tool, session_id: sessionId, edited: edited !== null, for_session: forSession },
  });
  if (row) await resume(row, decided);
  return decided;
}

/** Already answered, or expired and not yet marked as such: marks it. */
async function refuseLateAnswer(parts: ApprovalParts, approval: Approval): Promise<Result<never>> {
  const { id, status } = approval;
  if (status !== "pending") return fail("approval_decided", { id, status });
  await decide(parts, approval, { by: "capstan", status: "expired" });
  return fail("approval_decided", { id, status: "expired" });
}

const INSERT = `insert into approvals(id, session_id, agent_id, user_email, capability_id, tool, call_id, arguments,
    reason, expiry, expires_at, config, pin, assignee, assignee_only)
  values ($1, $2, $3, $4, $5, $6, $7, $8::json, $9, $10::json, $11, $12::json, $13, $14, $15) returning ${COLUMNS}`;

async function storeDirect(parts: ApprovalParts, call: DirectCall): Promise<Approval> {
  const { callId, agent, tool, input, why, userEmail, sessionId } = call;
  const { assignee, assigneeOnly, expiry } = askedPerson({
    ...call,
    agentExpiry: agent.spec.approvalExpiry,
    rightsApprover: parts.rightsApprover,
  });
  const { rows } = await parts.pool.query<Approval>(INSERT, [
    uuidv7(),
    sessionId ?? null,
    agent.spec.id,
    userEmail,
    tool.capabilityId,
    tool.name,
    callId,
    storableJson(input),
    why,
    storableJson(expiry),
    expiryOf(expiry, parts.now()) ?? null,
    storableJson(parts.sealConfig(tool.capabilityId, tool.config) ?? null),
    approvalPin(agent, tool),
    assignee,
    assigneeOnly,
  ]);
  const [approval] = rows;
  if (!approval) throw new Error("the approval just inserted was not returned");
  return approval;
}
