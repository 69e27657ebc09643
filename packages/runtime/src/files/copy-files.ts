/** Copies a session's files to a forked session. */
import type { Database } from "../db/database.ts";

const COPY = `with copied as (
    insert into session_files (session_id, path, parent, is_directory, is_readonly, size_bytes, is_text, content)
    select $2, path, parent, is_directory, is_readonly, size_bytes, is_text, content from session_files where session_id = $1
    returning size_bytes)
  update sessions set file_bytes = coalesce((select sum(size_bytes) from copied), 0) where id = $2`;

export async function copyFiles({ pool }: Pick<Database, "pool">, from: string, to: string): Promise<void> {
  await pool.query(COPY, [from, to]);
}
