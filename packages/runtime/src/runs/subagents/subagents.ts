/**
 * An agent as a capability of another: `delegate_to_x` starts a run in its own session, whose answer is the
 * result; `hand_over_to_x` gives the session to the other agent. The child has at most the caller's scopes.
 *
 * The child's session id is derived from the call, so that a call repeated after a crash finds its child.
 */
import {
  type AgentSpec,
  type Capability,
  defineCapability,
  defineTool,
  fail,
  ok,
  type Result,
  type RunEvent,
  type ToolContext,
} from "@capstan/core";
import { type Interrupt, textOf } from "@capstan/core/internal";
import type pg from "pg";
import { z } from "zod";
import { uuidFrom } from "../../db/uuid.ts";
import { returnLabels } from "../../labels/session-labels.ts";
import type { RunRecord } from "../history/session-history.ts";
import type { Runs } from "../runs.ts";

const DEEPEST = 4; // agents that delegate to each other would never stop
const LONGEST_MS = 24 * 3600 * 1000; // its own limits and its parent's apply long before

export interface SubagentParts {
  readonly pool: pg.Pool;
  readonly runs: () => Runs;
}

/** `agent.<id>`: what an agent lists among its capabilities to delegate to this one. */
export const agentCapabilityId = (agentId: string): string => `agent.${agentId}`;

export function agentCapability(
  agent: Pick<AgentSpec, "id" | "name" | "description"> & { readonly release: string },
  parts: SubagentParts,
): Capability {
  const { id, name, release } = agent;
  const description = agent.description === "" ? `The agent ${name}.` : agent.description;
  const slug = slugOf(name, id);
  return defineCapability({
    id: agentCapabilityId(id),
    name,
    description,
    source: "agent",
    version: release,
    tools: [
      defineTool({
        name: `delegate_to_${slug}`,
        description: `Give a task to ${name} and get its answer. ${description}`,
        input: z.object({
          task: z
            .string()
            .min(1)
            .max(100_000)
            .describe("Everything it must know: it does not see this conversation."),
        }),
        idempotent: true,
        requiresContext: true,
        timeoutMs: LONGEST_MS,
        subagent: { id, name, description },
        run: ({ task }, context) => delegate(parts, { id, name }, task, context),
      }),
      defineTool({
        name: `hand_over_to_${slug}`,
        description: `Hand this whole conversation over to ${name}, who answers from now on. ${description}`,
        input: z.object({ reason: z.string().max(2000).describe("Why, for the record.") }),
        requiresContext: true,
        handsOverTo: { id, name, description },
        run: () => ok(`${name} has this conversation now.`),
      }),
    ],
  });
}

async function delegate(
  parts: SubagentParts,
  agent: { id: string; name: string },
  task: string,
  context: ToolContext,
): Promise<Result<string>> {
  const { runId, user, idempotencyKey, signal } = context;
  if (runId === undefined) {
    return fail("tool_failed", {
      message: "Delegation requires a run.",
      nextStep: "Call it from a conversation.",
    });
  }
  const depth = (await depthOf(parts.pool, runId)) + 1;
  if (depth > DEEPEST) return fail("subagent_depth", { limit: DEEPEST });
  const sessionId = uuidFrom(idempotencyKey);
  await parts.pool.query(NEW_SESSION, [sessionId, agent.id, user.email, task.slice(0, 80), runId]);
  const runs = parts.runs();
  const child = { runId, callId: idempotencyKey, depth, scopeCeiling: user.scopes };
  const sent = await runs.sendChild(sessionId, { id: "task", content: task }, {}, child);
  if (!sent.ok) return sent;
  const stop = () => void runs.cancel(sessionId, { queued: true }).catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  try {
    const outcome = await outcomeOf(runs, sessionId, sent.value.runId, agent.name, signal);
    // Before the answer is stored: if the process dies here, the call is repeated and finds the same child.
    if (!signal.aborted) await returnLabels(parts.pool, { parentRunId: runId, childSessionId: sessionId });
    return outcome;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The task comes from a model that has read the conversation's labels, so the child inherits them. */
const NEW_SESSION = `insert into sessions(id, agent_id, owner, title, metadata, labels)
  select $1, $2, $3, $4, jsonb_build_object('parent_run_id', $5::text), coalesce((select p.labels from runs r
    join sessions p on p.id = r.session_id where r.id = $5::uuid), '{}') on conflict do nothing`;

/** Waits until the child has ended or waits for a person. */
async function outcomeOf(
  runs: Runs,
  sessionId: string,
  runId: string,
  name: string,
  signal: AbortSignal,
): Promise<Result<string>> {
  for await (const { json } of runs.events(sessionId, 0, signal)) {
    const end = json.map((text): RunEvent => JSON.parse(text)).findLast(isEnd);
    const settled = end && (await settledOutcome(runs, runId, name, end));
    if (settled) return settled;
  }
  return fail("cancelled", { what: `The run of "${name}"` });
}

/** Undefined when the run continues after this segment. */
async function settledOutcome(
  runs: Runs,
  runId: string,
  name: string,
  end: RunEvent,
): Promise<Result<string> | undefined> {
  const run = await runs.run(runId);
  if (!run.ok) return run;
  const { status } = run.value;
  if (status === "waiting") return fail("subagent_waiting", { name, runId, interrupts: interruptsOf(end) });
  return status === "running" || status === "queued" ? undefined : resultOf(runs, run.value, name);
}

const interruptsOf = (end: RunEvent): readonly Interrupt[] =>
  end.type === "RUN_FINISHED" && end.outcome?.type === "interrupt" ? end.outcome.interrupts : [];

const isEnd = ({ type }: RunEvent): boolean => type === "RUN_FINISHED" || type === "RUN_ERROR";

async function resultOf(
  runs: Runs,
  { outcome, sessionId }: RunRecord,
  name: string,
): Promise<Result<string>> {
  if (outcome?.type === "failed") return fail("subagent_failed", { name, message: outcome.failure.message });
  if (outcome?.type !== "done") return fail("cancelled", { what: `The run of "${name}"` });
  if (outcome.output !== undefined) return ok(JSON.stringify(outcome.output));
  const { items } = await runs.messages(sessionId, { limit: 10_000 });
  const answer = items.find(({ id }) => id === outcome.messageId);
  return ok(answer ? textOf(answer) : "");
}

async function depthOf(pool: pg.Pool, runId: string): Promise<number> {
  const { rows } = await pool.query<{ depth: number | null }>(
    "select (input->>'depth')::int as depth from runs where id = $1",
    [runId],
  );
  return rows[0]?.depth ?? 0;
}

/** Short enough for a tool name of 64 characters. */
function slugOf(name: string, id: string): string {
  const words = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 40);
  return words === "" ? id.slice(-12) : words;
}
