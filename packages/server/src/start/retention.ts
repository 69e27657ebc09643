/** Old events are deleted only if the operator sets a retention time. */
import { EventRetention } from "@capstan/runtime";
import type { OpenFeatures } from "./open-features.ts";

export function startRetention({ settings, database, log }: OpenFeatures): EventRetention | undefined {
  const days = settings.CAPSTAN_EVENT_RETENTION_DAYS;
  if (days === undefined) return undefined;
  const onError = (error: unknown) => log.error({ what: "deleting old events", error });
  const retention = new EventRetention({ pool: database.pool, days, onError });
  retention.start();
  return retention;
}
