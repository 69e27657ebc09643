/** Triggers and schedules: files that services write and times that come, each handled as a run of its user. */
import { resolve } from "node:path";
import type { GuardedFetch } from "@capstan/core";
import {
  type ChannelParts,
  capabilityChannels,
  type Database,
  ScheduleSource,
  type ScheduleStore,
  scheduleStore,
  sessionChannel,
  TriggerManager,
  type TriggerParts,
  triggerHandler,
  type UserStore,
  webhookChannel,
} from "@capstan/runtime";
import type { Settings } from "../settings/settings.ts";

export interface ServerTriggers {
  readonly schedules: ScheduleStore;
  /** The folder of trigger files. */
  readonly root: string;
  /** Looks for new trigger files at once. */
  look(): void;
  close(): Promise<void>;
}

export interface ServerTriggerParts extends TriggerParts, ChannelParts {
  readonly settings: Settings;
  readonly database: Database;
  readonly users: Pick<UserStore, "get">;
  readonly fetch: GuardedFetch;
  /** Signs what webhooks are sent. */
  readonly secret: string;
  readonly onError: (error: unknown, what?: string) => void;
}

export async function openServerTriggers(parts: ServerTriggerParts): Promise<ServerTriggers> {
  const { settings, database, users, fetch, secret, onError } = parts;
  const now = () => new Date();
  const webhook = webhookChannel({ fetch, secret, now });
  const triggers = new TriggerManager({
    dataDir: resolve(settings.CAPSTAN_DATA_DIR),
    handle: triggerHandler(parts),
    preferences: async (user) => (await users.get(user)).preferences,
    // Read for each answer: an installed capability may bring a channel.
    get channels() {
      return { ...capabilityChannels(parts), session: sessionChannel, webhook };
    },
    now: Date.now,
    onError,
  });
  const schedules = scheduleStore(database);
  const ticking = new ScheduleSource({ store: schedules, root: triggers.root, now });
  await triggers.start();
  ticking.start(onError);
  return {
    schedules,
    root: triggers.root,
    look: () => triggers.look(),
    async close() {
      ticking.stop();
      await triggers.stop();
    },
  };
}
