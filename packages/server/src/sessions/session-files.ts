/** A session's files with the operator's limits. */
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
