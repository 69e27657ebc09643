/** The task runner with the server's index: capabilities are ranked by the installed tier. */
import { placeOf, timezoneOf } from "@capstan/builtins";
import type { CapabilityRegistry } from "@capstan/core";
import {
  createToolChooser,
  keepInStep,
  openTaskRunner,
  type RouteTier,
  type TaskParts,
  type TieredIndex,
  taskStore,
} from "@capstan/runtime";
import { uuidv7 } from "uuidv7";
import type { Feature } from "../http/feature.ts";
import { type TaskRouteParts, taskRoutes } from "./task-routes.ts";

export type OpenTasksParts = Omit<TaskRouteParts, "taskRunner"> &
  Omit<TaskParts, "approvals" | "timezoneOf" | "placeOf" | "index" | "chooseTool" | "tasks">;

export function openTasks(parts: OpenTasksParts): Feature {
  const { database, routeTier: tier, runs } = parts;
  const taskRunner = openTaskRunner({
    ...parts,
    approvals: runs.approvals,
    timezoneOf,
    placeOf,
    index: lazyIndex(parts.registry, tier),
    chooseTool: createToolChooser(parts.registry, tier),
    tasks: taskStore(database.pool, uuidv7()),
  });
  return {
    routes: [taskRoutes({ ...parts, taskRunner })],
    async close() {
      await taskRunner.close();
      await tier.close();
    },
  };
}

function lazyIndex(registry: CapabilityRegistry, tier: RouteTier): () => TieredIndex {
  let index: TieredIndex | undefined;
  const open = () => {
    index ??= keepInStep(tier.createIndex(), registry);
    return index;
  };
  if (tier.name === "minilm") setImmediate(open); // the model reads the catalog in the background
  return open;
}
