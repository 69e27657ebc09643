/**
 * Tasks that must run once: claimed by key before anything is executed, answered from the row afterwards.
 * A task whose process died is taken over when its lease expires; its steps keep their idempotency keys.
 */
import { createHash } from "node:crypto";
import { fail, ok, type Result } from "@capstan/core";
import type pg from "pg";
import { uuidv7 } from "uuidv7";
import { isUuid } from "../db/uuid.ts";

export interface TaskRecord {
  readonly id: string;
  readonly owner: string;
  readonly request: unknown;
  /** The trace that the request is part of, for whoever takes the task over. */
  readonly traceparent?: string | undefined;
  /** The answer; while it runs, its progress (`note`). */
  readonly response: unknown;
  readonly status: "running" | "done";
  readonly createdAt: Date;
}

export type TaskClaim =
  | { readonly kind: "mine"; readonly task: TaskRecord }
  | { readonly kind: "known"; readonly task: TaskRecord };

export interface TaskInput {
  readonly owner: string;
  readonly key?: string | undefined;
  readonly request: object;
  readonly traceparent?: string | undefined;
}

export interface TaskStore {
  claim(input: TaskInput): Promise<Result<TaskClaim>>;
  /** Stores the progress of a running task. */
  note(id: string, progress: unknown): Promise<void>;
  finish(id: string, response: unknown): Promise<void>;
  get(id: string): Promise<Result<TaskRecord>>;
  /** Renews the lease while a task runs. */
  renew(id: string): Promise<void>;
  /** Tasks with an expired lease, now claimed by this process. */
  takeAbandoned(): Promise<TaskRecord[]>;
}

const LEASE_SECONDS = 15; // three missed renewals

interface Row {
  id: string;
  owner: string;
  request: { traceparent?: string };
  response: unknown;
  status: "running" | "done";
  request_hash: string;
  created_at: Date;
  fresh?: boolean;
}

export function taskStore(pool: pg.Pool, executorId: string): TaskStore {
  return {
    async claim({ owner, key, request, traceparent }) {
      const id = uuidv7();
      const hash = createHash("sha256").update(JSON.stringify(request)).digest("hex");
      const { rows } = await pool.query<Row>(CLAIM, [
        id,
        owner,
        key ?? id,
        hash,
        JSON.stringify({ ...request, traceparent }), // not part of the hash: a repeated request has another one
        executorId,
      ]);
      const row = rows[0];
      if (!row) throw new Error("a claim returns a row");
      if (row.request_hash !== hash) {
        const message = "This Idempotency-Key was used for another task.";
        return fail("conflict", { message, nextStep: "Send a new key with a new task." });
      }
      return ok({ kind: row.id === id || row.fresh ? "mine" : "known", task: taskOf(row) });
    },
    async note(id, progress) {
      await pool.query(
        "update tasks set response = $2, updated_at = now() where id = $1 and status = 'running' and lease_owner = $3",
        [id, asWritten(progress), executorId],
      );
    },
    async finish(id, response) {
      await pool.query("update tasks set status = 'done', response = $2, updated_at = now() where id = $1", [
        id,
        asWritten(response),
      ]);
    },
    async get(id) {
      const { rows } = isUuid(id)
        ? await pool.query<Row>("select * from tasks where id = $1", [id])
        : { rows: [] };
      return rows[0] ? ok(taskOf(rows[0])) : fail("not_found", { what: "task", id });
    },
    async renew(id) {
      await pool.query(
        `update tasks set lease_until = now() + interval '${LEASE_SECONDS} seconds' where id = $1 and lease_owner = $2`,
        [id, executorId],
      );
    },
    async takeAbandoned() {
      const { rows } = await pool.query<Row>(
        `update tasks set lease_owner = $1, lease_until = now() + interval '${LEASE_SECONDS} seconds'
         where id in (select id from tasks where status = 'running' and lease_until < now() limit 20 for update skip locked) returning *`,
        [executorId],
      );
      return rows.map(taskOf);
    },
  };
}

/** A new row is ours; a known one with an expired lease becomes ours; any other is returned unchanged. */
const CLAIM = `insert into tasks (id, owner, key, request_hash, request, lease_owner, lease_until)
  values ($1, $2, $3, $4, $5, $6, now() + interval '${LEASE_SECONDS} seconds')
  on conflict (owner, key) do update set
    lease_owner = case when tasks.status = 'running' and tasks.lease_until < now() then excluded.lease_owner else tasks.lease_owner end,
    lease_until = case when tasks.status = 'running' and tasks.lease_until < now() then excluded.lease_until else tasks.lease_until end
  returning *, (status = 'running' and lease_owner = $6 and lease_until > now() + interval '${LEASE_SECONDS - 1} seconds') as fresh`;

/** Stored as text inside the JSON column, which would reorder the fields: the same key gives the same bytes. */
const asWritten = (value: unknown): string => JSON.stringify(JSON.stringify(value));

const taskOf = ({
  id,
  owner,
  request: { traceparent, ...request },
  response,
  status,
  created_at,
}: Row): TaskRecord => ({
  id,
  owner,
  request,
  traceparent,
  response: typeof response === "string" ? JSON.parse(response) : response,
  status,
  createdAt: created_at,
});
