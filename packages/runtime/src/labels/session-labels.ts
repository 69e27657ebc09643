/**
 * What a conversation has read, stored with its session. A label is stored before the tool that causes it runs, so
 * that a process killed in between leaves one label too many, never one too few. Labels are never removed: the text
 * stays in the context, in the session's files and in its notes.
 */
import { DATA_LABELS, type DataLabel } from "@capstan/core/internal";
import type pg from "pg";
import type { LabelOrigin, SessionLabels } from "../db/schema/session-tables.ts";
import { isUuid } from "../db/uuid.ts";

export type { LabelOrigin, SessionLabels };

export interface LabelStore {
  read(sessionId: string): Promise<SessionLabels>;
  /** The first origin of a label stays. */
  add(sessionId: string, labels: readonly DataLabel[], origin: Omit<LabelOrigin, "at">): Promise<void>;
}

const READ = "select labels from sessions where id = $1";
// Existing entries win, so that a label keeps its first origin.
const ADD = "update sessions set labels = $2::jsonb || labels where id = $1 and not labels ?& $3::text[]";

export const labelStore = (pool: Pick<pg.Pool, "query">): LabelStore => ({
  async read(sessionId) {
    if (!isUuid(sessionId)) return {};
    const { rows } = await pool.query<{ labels: SessionLabels }>(READ, [sessionId]);
    return rows[0]?.labels ?? {};
  },
  async add(sessionId, labels, origin) {
    if (labels.length === 0 || !isUuid(sessionId)) return;
    const stamped = { ...origin, at: new Date().toISOString() };
    const added = Object.fromEntries(labels.map((label) => [label, stamped]));
    await pool.query(ADD, [sessionId, JSON.stringify(added), [...labels]]);
  },
});

export const labelNames = (labels: SessionLabels): DataLabel[] =>
  DATA_LABELS.filter((label) => labels[label] !== undefined);

/** What a delegated conversation has read comes back with its answer. $1 the parent's run, $2 the child's session. */
const RETURN = `update sessions p set labels = c.labels || p.labels from runs r, sessions c
  where r.id = $1 and p.id = r.session_id and c.id = $2 and c.labels <> '{}'`;

export async function returnLabels(
  pool: Pick<pg.Pool, "query">,
  { parentRunId, childSessionId }: { readonly parentRunId: string; readonly childSessionId: string },
): Promise<void> {
  await pool.query(RETURN, [parentRunId, childSessionId]);
}
