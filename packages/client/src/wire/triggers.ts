/** Triggers sent by services, and schedules that send them at set times. */
import { z } from "zod";
import { JsonObject, listOf, PageQuery, pageOf, queryNumber } from "./page.ts";
import { UserEmail } from "./settings.ts";

const TriggerStatus = z.enum(["pending", "processing", "done", "failed", "deduped", "dropped", "invalid"]);

export const TriggerInfo = z
  .object({
    id: z.string(),
    capability: z.string(),
    status: TriggerStatus,
    attempts: z.int(),
    user: z.string().optional(),
    type: z.string().optional(),
    created_at: z.string().optional(),
    not_before: z.string().optional(),
    reason: z.string().optional(),
    session_id: z.string().optional(),
    channel: z.string().optional(),
    delivered: z.boolean().optional(),
  })
  .meta({ id: "Trigger" });
export type TriggerInfo = z.infer<typeof TriggerInfo>;
export const TriggerList = listOf(TriggerInfo).extend(pageOf(TriggerInfo).shape);
export const TriggerQuery = z.strictObject({
  status: TriggerStatus.optional(),
  capability: z.string().max(100).optional(),
  user: z.string().max(320).optional(),
  limit: queryNumber().int().min(1).max(1000).default(200),
  cursor: PageQuery.shape.cursor,
});

export type TriggerQuery = z.input<typeof TriggerQuery>;

const scheduleFields = {
  capability: z.string().min(1).max(50),
  user: UserEmail,
  cron: z.string().min(1).max(100),
  timezone: z.string().max(64),
  type: z.string().min(1).max(200),
  payload: JsonObject,
  routing: z
    .strictObject({ channel: z.string().max(100), target: z.string().max(400).optional() })
    .optional(),
  enabled: z.boolean(),
};

export const Schedule = z
  .object({
    id: z.string(),
    ...scheduleFields,
    last_fired_at: z.string().nullable(),
    created_at: z.string(),
  })
  .meta({ id: "Schedule" });
export type Schedule = z.infer<typeof Schedule>;
export const ScheduleList = listOf(Schedule);

/** With the id of an existing schedule it is updated, otherwise created. The response of GET can be sent back. */
export const ScheduleCreate = z
  .strictObject({
    id: z.uuid().optional(),
    ...scheduleFields,
    user: UserEmail.optional(),
    timezone: scheduleFields.timezone.default("UTC"),
    type: scheduleFields.type.default("schedule"),
    payload: JsonObject.default({}),
    enabled: z.boolean().default(true),
    last_fired_at: z
      .string()
      .nullable()
      .optional()
      .meta({ readOnly: true, description: "Set by the server." }),
    created_at: z.string().optional().meta({ readOnly: true, description: "Set by the server." }),
  })
  .meta({ id: "ScheduleCreate" });
export type ScheduleCreate = z.input<typeof ScheduleCreate>;
