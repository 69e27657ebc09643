/** Packages, their services, triggers and schedules: what is installed, what runs beside the server, and what it brings in. */
import { join, resolve } from "node:path";
import type { CapabilityRegistry, GuardedFetch } from "@capstan/core";
import {
  type Database,
  openPackages,
  type Packages,
  ScheduleSource,
  type ScheduleStore,
  scheduleStore,
  sessionChannel,
  TriggerManager,
  webhookChannel,
} from "@capstan/runtime";
import type { Settings } from "./settings.ts";
import { type TriggerParts, triggerHandler } from "./trigger-handler.ts";

export interface ServerPackages {
  readonly packages: Packages;
  readonly schedules: ScheduleStore;
  /** The folder of trigger files. */
  readonly triggerRoot: string;
  readonly triggers: TriggerManager;
  close(): Promise<void>;
}

export interface PackageParts extends TriggerParts {
  readonly settings: Settings;
  readonly database: Database;
  readonly registry: CapabilityRegistry;
  readonly fetch: GuardedFetch;
  readonly secret: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly onError: (error: unknown, what?: string) => void;
}

/** What package tools such as pip and npm may see of the operator's environment. */
const TOOL_VARIABLES =
  /^(PATH|HOME|LANG|LC_\w+|TMPDIR|HTTPS?_PROXY|NO_PROXY|NODE_EXTRA_CA_CERTS|npm_config_\w+|PIP_\w+)$/i;

export async function openServerPackages(parts: PackageParts): Promise<ServerPackages> {
  const { settings, database, registry, fetch, secret, environment, onError } = parts;
  const dataDir = resolve(settings.CAPSTAN_DATA_DIR);
  const now = () => new Date();
  const packages = await openPackages({
    ...{ dataDir, database, registry, fetch, onError, now },
    lockPath: join(dataDir, "capstan.lock"),
    settings: (name) => settings.secrets[name],
    toolEnvironment: Object.fromEntries(
      Object.entries(environment).filter(([name]) => TOOL_VARIABLES.test(name)),
    ),
  });
  const triggers = new TriggerManager({
    dataDir,
    handle: triggerHandler(parts),
    channels: { session: sessionChannel, webhook: webhookChannel({ fetch, secret, now }) },
    now: Date.now,
    onError,
  });
  const schedules = scheduleStore(database);
  const ticking = new ScheduleSource({ store: schedules, root: triggers.root, now });
  await triggers.start();
  ticking.start(onError);
  packages.services.resume().then(
    (failed) => {
      for (const { name, why } of failed) onError(new Error(why), `service ${name}`);
    },
    (error) => onError(error, "services"),
  );
  return {
    ...{ packages, schedules, triggers, triggerRoot: triggers.root },
    async close() {
      ticking.stop();
      await triggers.stop();
      await packages.close();
    },
  };
}
