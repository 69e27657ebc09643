/** Experiments: their routes, and the worker that runs and scores cells beside live runs. */
import { countTokens } from "@capstan/builtins";
import type { Scorer } from "@capstan/core/internal";
import {
  type AgentSharings,
  type AuditLog,
  type BudgetLedger,
  type Composer,
  type ConfigSeal,
  type Database,
  type DatabaseRetry,
  datasetStore,
  experimentStore,
  type Gate,
  type Models,
  type RevisionStore,
  type ScoredEvent,
  startExperimentWorker,
  type TextCheckStore,
  type WorkAskers,
} from "@capstan/runtime";
import type { Feature } from "../http/feature.ts";
import type { SessionFiles } from "../sessions/session-files.ts";
import { cellRoutes } from "./cell-routes.ts";
import { experimentRoutes } from "./experiment-routes.ts";

export interface ExperimentFeatureParts {
  readonly database: Database;
  readonly workAskers: WorkAskers;
  readonly gate: Gate;
  readonly composer: Composer;
  readonly models: Models;
  readonly ledger: BudgetLedger;
  readonly textChecks: Pick<TextCheckStore, "inForce">;
  readonly files: SessionFiles;
  readonly configSeal: ConfigSeal;
  readonly revisions: RevisionStore;
  readonly audit: AuditLog;
  readonly sharing: AgentSharings;
  readonly scorers: readonly Scorer[];
  readonly scored?: (event: ScoredEvent) => void;
  readonly withRetry: DatabaseRetry;
  readonly onError: (error: unknown, what: string) => void;
}

export async function openExperiments(parts: ExperimentFeatureParts): Promise<Feature> {
  const { database, files } = parts;
  const experiments = experimentStore(database.pool);
  const worker = await parts.withRetry(() =>
    startExperimentWorker({
      database,
      askers: parts.workAskers,
      gate: parts.gate,
      composer: parts.composer,
      models: parts.models,
      budgets: parts.ledger,
      textChecks: parts.textChecks.inForce,
      readFile: (sessionId, path) => files(sessionId).read(path),
      countTokens,
      scorers: parts.scorers,
      scored: parts.scored,
      onError: parts.onError,
    }),
  );
  const routeParts = { ...parts, experiments, datasets: datasetStore(database.pool), worker };
  return { routes: [experimentRoutes(routeParts), cellRoutes(routeParts)], close: () => worker.close() };
}
