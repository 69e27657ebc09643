/** A session's files with the operator's limits, and copying them when a session is forked. */
import type { SessionFileStore } from "@capstan/core";
import { compileGrep, type Database, fileStore } from "@capstan/runtime";
import type { Settings } from "../settings/settings.ts";

export type SessionFiles = (sessionId: string) => SessionFileStore;

export function sessionFiles(
  { pool }: Pick<Database, "pool">,
  settings: Settings,
  withManifest: (sessionId: string, files: SessionFileStore) => SessionFileStore,
): SessionFiles {
  const limits = {
    fileBytes: settings.CAPSTAN_FILE_LIMIT_BYTES,
    sessionBytes: settings.CAPSTAN_SESSION_LIMIT_BYTES,
  };
  return (sessionId) => withManifest(sessionId, fileStore({ pool, sessionId, compile: compileGrep, limits }));
}

export async function copyFiles({ pool }: Pick<Database, "pool">, from: string, to: string): Promise<void> {
  await pool.query(
    `with copied as (
       insert into session_files (session_id, path, parent, is_directory, is_readonly, size_bytes, is_text, content)
       select $2, path, parent, is_directory, is_readonly, size_bytes, is_text, content from session_files where session_id = $1
       returning size_bytes)
     update sessions set file_bytes = coalesce((select sum(size_bytes) from copied), 0) where id = $2`,
    [from, to],
  );
}
