/**
 * Cancels a session's run from any process: it claims the run's next epoch, which fences off the process that runs it,
 * ends unfinished messages, and writes the end itself. This works even if that process is dead or hangs.
 */
import { agentSpec } from "@capstan/core";
import { CLAIM_TO_CANCEL, CLAIM_WAITING_TO_CANCEL } from "./claim/claim-statements.ts";
import { type ClaimRow, loadSegment } from "./claim/claims.ts";
import { type Engine, RunContext } from "./context/run-context.ts";
import { runFinished } from "./log/lifecycle-events.ts";
import type { MessageToStore } from "./log/run-log.ts";
import { unfinishedBlocks } from "./log/unfinished-blocks.ts";
import { Stopped } from "./processes/active-segments.ts";

const CHILDREN = `select session_id from runs where parent_run_id = $1 and status in ('queued', 'running', 'waiting')`;
const DROP_QUEUED = `update runs set status = 'cancelled', updated_at = now() where session_id = $1 and status = 'queued'`;
const DROP_ONE_QUEUED = `update runs set status = 'cancelled', updated_at = now() where id = $1 and status = 'queued'`;

export interface CancelParts {
  readonly engine: Engine;
  /** Stops the run in this process and tells the others. */
  readonly stop: (runId: string, reason: Error) => void;
  readonly hint: (sessionId: string) => void;
  readonly onEnd: (context: RunContext) => void;
}

export interface CancelOptions {
  readonly by?: string | undefined;
  /** Only this run, also while it is queued. */
  readonly runId?: string | undefined;
  /** Also cancels queued messages. */
  readonly queued?: boolean | undefined;
}

/** The id of the cancelled run; undefined when there was none. */
export async function cancelRun(
  parts: CancelParts,
  sessionId: string,
  options: CancelOptions = {},
): Promise<string | undefined> {
  const { database, executorId } = parts.engine.parts;
  if (options.queued) await database.pool.query(DROP_QUEUED, [sessionId]);
  if (options.runId !== undefined) await database.pool.query(DROP_ONE_QUEUED, [options.runId]);
  const row = await claimForCancel(parts, { sessionId, runId: options.runId }, executorId);
  if (!row) return undefined;
  parts.stop(row.id, new Stopped("cancelled"));
  const loaded = await loadSegment(database.pool, row);
  if (!loaded) return undefined;
  const { claim, events } = loaded;
  const context = new RunContext(
    parts.engine,
    claim,
    agentSpec({ name: "cancelled" }),
    new AbortController(),
  );
  context.emitStart();
  await writeEnd(context, unfinishedBlocks(events), options.by);
  await cancelChildren(parts, row.id, options);
  parts.onEnd(context);
  return row.id;
}

async function claimForCancel(
  { engine, hint }: CancelParts,
  { sessionId, runId = null }: { readonly sessionId: string; readonly runId?: string | null | undefined },
  owner: string,
): Promise<ClaimRow | undefined> {
  const { pool } = engine.parts.database;
  const running = await pool.query<ClaimRow>(CLAIM_TO_CANCEL, [sessionId, owner, runId]);
  if (running.rows[0]) return running.rows[0];
  const waiting = await pool.query<ClaimRow>(CLAIM_WAITING_TO_CANCEL, [sessionId, owner, runId]);
  if (waiting.rows[0]) {
    engine.hub.hint(sessionId);
    hint(sessionId);
  }
  return waiting.rows[0];
}

/** Text that was shown stays in the conversation, marked as interrupted: the user saw it, so the model must know it. */
async function writeEnd(
  context: RunContext,
  { closingEvents, texts }: ReturnType<typeof unfinishedBlocks>,
  by: string | undefined,
): Promise<void> {
  const { log, claim, meter, engine } = context;
  for (const event of closingEvents) log.emit(event);
  log.emit(
    runFinished({
      sessionId: claim.sessionId,
      segmentId: context.segmentId,
      outcome: { type: "cancelled" },
      usage: meter.segmentTokens,
      at: engine.now(),
    }),
  );
  const said = texts
    .filter(({ text }) => text !== "")
    .map(
      ({ messageId, text }): MessageToStore => ({
        message: { id: messageId, role: "assistant", content: [{ type: "text", text, interrupted: true }] },
      }),
    );
  await log.commit(said, {
    run: {
      status: "cancelled",
      outcome: { type: "cancelled", ...(by !== undefined && { by }) },
      usage: meter.usage,
    },
    session: { status: "idle" },
    ...context.webhook({ status: "cancelled" }),
  });
}

async function cancelChildren(parts: CancelParts, runId: string, options: CancelOptions): Promise<void> {
  const { rows } = await parts.engine.parts.database.pool.query<{ session_id: string }>(CHILDREN, [runId]);
  for (const { session_id } of rows) await cancelRun(parts, session_id, { by: options.by, queued: true });
}
