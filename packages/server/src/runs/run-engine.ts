/** The run engine with the server's parts. */
import { countTokens } from "@capstan/builtins";
import type { GuardedFetch } from "@capstan/core";
import {
  type AuditLog,
  type Composer,
  copyFiles,
  createRuns,
  type Database,
  type EndedRun,
  type Gate,
  type RunObservation,
  type Runs,
  singleCapability,
} from "@capstan/runtime";
import { uuidv7 } from "uuidv7";
import type { Harnesses } from "../harness/open-harnesses.ts";
import type { ServerModels } from "../models/models.ts";
import type { SessionFiles } from "../sessions/session-files.ts";
import type { Log } from "../settings/log.ts";
import type { Settings } from "../settings/settings.ts";

export interface EngineParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly database: Database;
  readonly gate: Gate;
  readonly composer: Composer;
  readonly models: ServerModels;
  readonly audit: AuditLog;
  readonly fetch: GuardedFetch;
  /** Signs webhooks. */
  readonly secret: string;
  readonly observed: (observation: RunObservation) => void;
  readonly ended: (run: EndedRun) => void;
  readonly harnesses: Harnesses;
  readonly files: SessionFiles;
}

export function openEngine({
  settings,
  log,
  database,
  gate,
  composer,
  models,
  audit,
  fetch,
  secret,
  observed,
  ended,
  harnesses,
  files,
}: EngineParts): Promise<Runs> {
  return createRuns({
    database,
    gate,
    composeFor: composer.composeFor,
    composeSingle: (id, config, email) => composer.preview(singleCapability(id, config), email),
    models,
    harness: (name) => harnesses.driver(name),
    harnessWaitMs: settings.CAPSTAN_HARNESS_WAIT_SECONDS * 1000,
    executorId: settings.CAPSTAN_EXECUTOR_ID ?? (database.kind === "pglite" ? "local" : uuidv7()),
    countTokens,
    readFile: (sessionId, path) => files(sessionId).read(path),
    copyFiles: (from, to) => copyFiles(database, from, to),
    rightsApprover: settings.CAPSTAN_RIGHTS_APPROVER,
    webhooks: { fetch, secret },
    observed,
    ended,
    audit: (entry) => {
      audit
        .add({ ...entry, details: { ...entry.details } })
        .catch((error) => log.error({ what: "audit", error }));
    },
    onError: (error, what) => log.error({ what, error }),
  });
}
