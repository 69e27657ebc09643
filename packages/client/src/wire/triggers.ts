/** Triggers sent by services, and schedules that send them at set times. */
import { z } from "zod";
import {
  countedPageOf,
  JsonObject,
  NamedAgent,
  PageQuery,
  queryFlag,
  queryNumber,
  queryText,
} from "./page.ts";
import { readBack } from "./read-back.ts";
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
export const TriggerList = countedPageOf(TriggerInfo);
export const TriggerQuery = z.strictObject({
  status: TriggerStatus.optional(),
  capability: z.string().max(100).optional(),
  user: z.string().max(320).optional(),
  q: queryText("the id, the type or the reason"),
  limit: queryNumber(z.int().min(1).max(1000)).default(200),
  cursor: PageQuery.shape.cursor,
});

export type TriggerQuery = z.input<typeof TriggerQuery>;

const scheduleFields = {
  capability: z.string().min(1).max(50),
  user: UserEmail,
  cron: z.string().min(1).max(100),
  timezone: z.string().min(1).max(64),
  type: z.string().min(1).max(200),
  payload: JsonObject,
  routing: z
    .strictObject({ channel: z.string().max(100), target: z.string().max(400).optional() })
    .optional(),
  agent_id: z.uuid().nullable().meta({
    description:
      "An agent of the same user that lists the capability; null: any of them. It gets `payload.message` as its message.",
  }),
  enabled: z.boolean(),
};

/** The outcome of the last firing. */
export const ScheduleRun = z
  .object({
    status: z.enum(["waiting", "running", "needs approval", "done", "failed", "cancelled", "unknown"]),
    session_id: z.string().nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: "ScheduleRun" });
export type ScheduleRun = z.infer<typeof ScheduleRun>;

const scheduleKept = {
  last_fired_at: z.string().nullable(),
  next_run_at: z.string().nullable().meta({ description: "Null while it is paused (`enabled: false`)." }),
  agent: NamedAgent.nullable().meta({
    description:
      "Who handles it; null until the first run makes an agent for it, or when the chosen one no longer can.",
  }),
  last_run: ScheduleRun.nullable(),
  created_at: z.string(),
};

export const Schedule = z
  .object({ id: z.string(), ...scheduleFields, ...scheduleKept })
  .meta({ id: "Schedule" });
export type Schedule = z.infer<typeof Schedule>;
export const ScheduleList = countedPageOf(Schedule);
export const ScheduleQuery = PageQuery.extend({
  capability: z.string().max(100).optional(),
  user: z.string().max(320).optional(),
  enabled: queryFlag().optional(),
  agent_id: z.string().max(200).optional().meta({ description: "Schedules that this agent handles." }),
  q: queryText("the type, the capability or the user"),
});
export type ScheduleQuery = z.input<typeof ScheduleQuery>;

/** With the id of an existing schedule it is updated, otherwise created. The response of GET can be sent back. */
export const ScheduleCreate = z
  .strictObject({
    id: z.uuid().optional(),
    ...scheduleFields,
    user: UserEmail.optional(),
    timezone: scheduleFields.timezone.default("UTC"),
    type: scheduleFields.type.default("schedule"),
    payload: JsonObject.default({}),
    agent_id: scheduleFields.agent_id.default(null),
    enabled: z.boolean().default(true),
    ...readBack(scheduleKept),
  })
  .meta({ id: "ScheduleCreate" });
export type ScheduleCreate = z.input<typeof ScheduleCreate>;

/** RFC 7396: `payload` and `routing` are merged; null removes an entry of the payload, or the routing. */
export const SchedulePatch = z
  .strictObject({
    ...readBack({ id: z.string(), ...scheduleKept }),
    ...z.strictObject(scheduleFields).partial().shape,
    routing: z
      .strictObject({
        channel: z.string().max(100).optional(),
        target: z.string().max(400).nullable().optional(),
      })
      .nullable()
      .optional(),
    enabled: z
      .boolean()
      .optional()
      .meta({ description: "False pauses it; what falls due meanwhile is not caught up." }),
  })
  .meta({ id: "SchedulePatch" });
export type SchedulePatch = z.input<typeof SchedulePatch>;
export const ScheduleFired = z
  .object({
    trigger_id: z.string(),
    session_id: z.string().meta({ description: "Where the agent will work." }),
  })
  .meta({ id: "ScheduleFired" });
export type ScheduleFired = z.infer<typeof ScheduleFired>;
