/** Replays of recorded runs: their routes, and the worker that runs them beside live runs. */
import { countTokens } from "@capstan/builtins";
import {
  type AgentSharings,
  type AuditLog,
  type BudgetLedger,
  type Composer,
  type ConfigSeal,
  type Database,
  type DatabaseRetry,
  type Gate,
  type Models,
  type RevisionStore,
  replayQueue,
  replayStore,
  startReplayWorker,
  type TextCheckStore,
  type WorkAskers,
} from "@capstan/runtime";
import type { Feature } from "../http/feature.ts";
import type { SessionFiles } from "../sessions/session-files.ts";
import { replayRoutes } from "./replay-routes.ts";

export interface ReplayFeatureParts {
  readonly database: Database;
  readonly workAskers: WorkAskers;
  readonly gate: Gate;
  readonly composer: Composer;
  readonly models: Models;
  readonly ledger: BudgetLedger;
  readonly textChecks: Pick<TextCheckStore, "inForce">;
  readonly files: SessionFiles;
  readonly configSeal: ConfigSeal;
  readonly audit: AuditLog;
  readonly sharing: AgentSharings;
  readonly revisions: RevisionStore;
  readonly withRetry: DatabaseRetry;
  readonly onError: (error: unknown, what: string) => void;
}

export async function openReplays(parts: ReplayFeatureParts): Promise<Feature> {
  const { database, files } = parts;
  const replays = replayStore(database.pool);
  const worker = await parts.withRetry(() =>
    startReplayWorker({
      database,
      askers: parts.workAskers,
      queue: replayQueue(database.pool),
      gate: parts.gate,
      composer: parts.composer,
      models: parts.models,
      budgets: parts.ledger,
      textChecks: parts.textChecks.inForce,
      readFile: (sessionId, path) => files(sessionId).read(path),
      countTokens,
      onError: parts.onError,
    }),
  );
  return { routes: [replayRoutes({ ...parts, replays, worker })], close: () => worker.close() };
}
