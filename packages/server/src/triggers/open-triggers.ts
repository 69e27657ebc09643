/** Triggers (files written by services) and schedules, each handled as a run of its user. */
import { resolve } from "node:path";
import type { CapabilityRegistry, GuardedFetch } from "@capstan/core";
import {
  type ChannelParts,
  type Composer,
  capabilityChannels,
  type Database,
  ScheduleSource,
  scheduleStore,
  sessionChannel,
  TriggerManager,
  type TriggerParts,
  teamsChannel,
  triggerHandler,
  type UserStore,
  webhookChannel,
} from "@capstan/runtime";
import type { Feature } from "../http/feature.ts";
import type { Settings } from "../settings/settings.ts";
import { scheduleRoutes } from "./schedule-routes.ts";
import { triggerRoutes } from "./trigger-routes.ts";

export interface ServerTriggerParts extends Omit<TriggerParts, "schedules">, ChannelParts {
  readonly composer: Pick<Composer, "composeUnsaved" | "knows">;
  readonly settings: Settings;
  readonly database: Database;
  readonly registry: CapabilityRegistry;
  readonly users: Pick<UserStore, "get">;
  readonly fetch: GuardedFetch;
  /** Signs what webhooks are sent. */
  readonly secret: string;
  readonly onError: (error: unknown, what?: string) => void;
}

export async function openTriggers(parts: ServerTriggerParts): Promise<Feature> {
  const { settings, database, users, fetch, secret, onError } = parts;
  const now = () => new Date();
  const webhook = webhookChannel({ fetch, secret, now });
  const url = settings.CAPSTAN_TEAMS_WEBHOOK;
  const configured = {
    session: sessionChannel,
    webhook,
    ...(url && { teams: teamsChannel({ fetch, url }) }),
  };
  const schedules = scheduleStore(database);
  const triggers = new TriggerManager({
    dataDir: resolve(settings.CAPSTAN_DATA_DIR),
    handle: triggerHandler({ ...parts, schedules }),
    preferences: async (user) => (await users.get(user)).preferences,
    channels: () => ({ ...capabilityChannels(parts), ...configured }),
    now: Date.now,
    onError,
  });
  const ticking = new ScheduleSource({ store: schedules, root: triggers.root, now });
  await triggers.start();
  ticking.start(onError);
  return {
    routes: [triggerRoutes({ triggers }), scheduleRoutes({ ...parts, schedules, triggers })],
    async close() {
      ticking.stop();
      await triggers.stop();
    },
  };
}
