/** Reads another program's SQLite file, and never writes to it. What cannot be read is a failure, not an empty answer. */
import { fail, ok, type Result } from "@capstan/core";
import type { SessionQuery } from "@capstan/core/internal";

const BUSY_TIMEOUT_MS = 2_000;

export async function readDatabase<T>(
  agent: string,
  path: string,
  read: (query: SessionQuery) => T,
): Promise<Result<T>> {
  try {
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      return ok(read((sql, ...values) => database.prepare(sql).all(...values)));
    } finally {
      database.close();
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return fail("sessions_unreadable", { agent, store: path, why });
  }
}
