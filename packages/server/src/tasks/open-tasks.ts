/** The task runner with the server's index: capabilities are ranked by the tier that is installed here. */
import { timezoneOf } from "@capstan/builtins";
import type { CapabilityRegistry } from "@capstan/core";
import {
  type Database,
  keepInStep,
  openTaskRunner,
  openToolChooser,
  type RouteTier,
  type Runs,
  type TaskParts,
  type TaskRunner,
  type TieredIndex,
  taskStore,
} from "@capstan/runtime";
import { uuidv7 } from "uuidv7";

export interface OpenTasksParts
  extends Pick<
    TaskParts,
    | "registry"
    | "composer"
    | "users"
    | "sessions"
    | "files"
    | "gate"
    | "telemetry"
    | "models"
    | "breakers"
    | "onError"
  > {
  readonly runs: Pick<Runs, "approvals">;
  readonly database: Pick<Database, "pool">;
  readonly tier: RouteTier;
}

export function openTasks({ database, tier, runs, ...parts }: OpenTasksParts): TaskRunner {
  return openTaskRunner({
    ...parts,
    approvals: runs.approvals,
    timezoneOf,
    index: lazyIndex(parts.registry, tier),
    chooseTool: openToolChooser(parts.registry, tier),
    tasks: taskStore(database.pool, uuidv7()),
  });
}

function lazyIndex(registry: CapabilityRegistry, tier: RouteTier): () => TieredIndex {
  let index: TieredIndex | undefined;
  const open = () => {
    index ??= keepInStep(tier.openIndex(), registry);
    return index;
  };
  if (tier.name === "minilm") setImmediate(open); // the model reads the catalog while nobody waits
  return open;
}
