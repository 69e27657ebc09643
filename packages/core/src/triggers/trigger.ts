/** A trigger: one event of a background service, in the seed's snake_case. It starts a session for one user. */
import { z } from "zod";
import { fail } from "../failures/fail.ts";
import { readInput } from "../faults.ts";
import { ok, type Result } from "../result.ts";
import { parseKeepingDigits } from "../unclear-values.ts";

export const TRIGGER_MAX_BYTES = 1024 * 1024; // a model reads far less; larger data belongs in the user's folder

/** Addresses become folder names, so they must not contain path characters. */
export const UserEmail = z
  .string()
  .max(254)
  .regex(
    /^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._%+-]*@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/,
    "must be an e-mail address",
  );

export const Routing = z.object({
  channel: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_.-]{0,63}$/, "must be a channel such as session, webhook or teams"),
  target: z.string().max(2000).optional(),
});
export type Routing = z.infer<typeof Routing>;

export const Trigger = z.object({
  id: z.uuidv4({ error: "must be a UUID v4" }),
  user: UserEmail,
  type: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}$/, "must be an event type such as draft_ready"),
  created_at: z.iso.datetime({
    offset: true,
    error: "must be an ISO 8601 time such as 2025-01-15T10:30:00Z",
  }),
  payload: z.record(z.string(), z.json()).optional(),
  routing: Routing.optional(),
  dedupe_key: z.string().min(1).max(200).optional(),
});
export type Trigger = z.infer<typeof Trigger>;

/** Parses a trigger file. Every fault is reported with its path. */
export function readTrigger(text: string): Result<Trigger> {
  if (text.length > TRIGGER_MAX_BYTES) {
    return fail("trigger_invalid", {
      faults: [{ path: "", message: `is larger than ${TRIGGER_MAX_BYTES} bytes` }],
    });
  }
  try {
    return readTriggerDocument(parseKeepingDigits(text));
  } catch (error) {
    return fail("trigger_invalid", {
      faults: [{ path: "", message: `is not JSON: ${(error as Error).message}` }],
    });
  }
}

export function readTriggerDocument(document: unknown): Result<Trigger> {
  const read = readInput(Trigger, document);
  return read.ok
    ? ok({ ...read.value, id: read.value.id.toLowerCase() })
    : fail("trigger_invalid", { faults: read.faults });
}
