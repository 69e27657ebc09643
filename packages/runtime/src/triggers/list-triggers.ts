/** Backs `GET /v1/triggers` and `capstan triggers`, and the two actions people have: retry and drop. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import { readTrigger, TRIGGER_MAX_BYTES } from "@capstan/core/internal";
import { z } from "zod";
import { readPlainFile } from "../files/plain-file.ts";
import { moveIfThere } from "./atomic-files.ts";
import {
  isCapabilityFolder,
  pendingName,
  readPendingName,
  readProcessingName,
  STATE_FOLDERS,
} from "./trigger-names.ts";
import { dedupeMarker } from "./trigger-queue.ts";

export type ListedStatus = "pending" | "processing" | "done" | "failed" | "deduped" | "dropped" | "invalid";
/** Triggers that need attention come first. */
export const LISTED_STATUSES: readonly ListedStatus[] = [
  "failed",
  "invalid",
  "processing",
  "pending",
  "done",
  "deduped",
  "dropped",
];

/** In the API's case. */
export interface ListedTrigger {
  readonly id: string;
  readonly capability: string;
  readonly status: ListedStatus;
  readonly attempts: number;
  readonly user?: string;
  readonly type?: string;
  readonly created_at?: string;
  readonly not_before?: string;
  readonly reason?: string;
  readonly session_id?: string;
  readonly channel?: string;
  readonly delivered?: boolean;
}

const Reason = z.object({ reason: z.string(), attempts: z.number().optional() });
const ResultFile = z.looseObject({
  session_id: z.string().optional(),
  channel: z.string().optional(),
  delivered: z.boolean().optional(),
  reason: z.string().optional(),
});

export interface ListOptions {
  readonly status?: ListedStatus | undefined;
  readonly capability?: string | undefined;
  readonly user?: string | undefined;
  /** Text in the id, the type or the reason. */
  readonly text?: string | undefined;
  readonly limit?: number | undefined;
  /** `next_cursor` of the page before. */
  readonly cursor?: string | undefined;
}

export interface TriggerPage {
  readonly items: ListedTrigger[];
  readonly total: number;
  readonly next_cursor?: string;
}

/** Triggers move while people read, so the cursor is the last one's position, not a number of rows. */
export async function listTriggers(root: string, options: ListOptions = {}): Promise<TriggerPage> {
  const { limit = 100, cursor } = options;
  const isFiltered = options.user !== undefined || options.text !== undefined;
  const found = (await allPlaces(root, options)).sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  const rest = cursor === undefined ? found : found.filter((place) => orderOf(place) > cursor);
  const items: ListedTrigger[] = [];
  let last: Place | undefined;
  for (const place of rest) {
    if (items.length >= limit) break;
    const listed = await describe(place);
    last = place;
    if (listed && isAskedFor(listed, options)) items.push(listed);
  }
  const isMore = last !== undefined && last !== rest.at(-1);
  return {
    items,
    total: isFiltered ? await countOf(found, options) : found.length,
    ...(isMore && last && { next_cursor: orderOf(last) }),
  };
}

const orderOf = ({ status, capability, id }: Place): string =>
  `${LISTED_STATUSES.indexOf(status)}.${capability}.${id}`;

async function countOf(places: readonly Place[], options: ListOptions): Promise<number> {
  let count = 0;
  for (const place of places) {
    const listed = await describe(place);
    if (listed && isAskedFor(listed, options)) count++;
  }
  return count;
}

const isAskedFor = ({ id, type = "", reason = "", ...listed }: ListedTrigger, { user, text }: ListOptions) =>
  (user === undefined || listed.user === user) &&
  (text === undefined || [id, type, reason].some((each) => each.toLowerCase().includes(text.toLowerCase())));

async function allPlaces(root: string, { status, capability }: ListOptions): Promise<Place[]> {
  const folders = (await readdir(root).catch(() => [])).filter(isCapabilityFolder);
  const places: Place[] = [];
  for (const folder of folders.filter((name) => capability === undefined || name === capability)) {
    for (const each of status ? [status] : LISTED_STATUSES)
      places.push(...(await placesOf(root, folder, each)));
  }
  return places;
}

/** The outcome of one trigger; undefined where it was pruned. */
export async function getTrigger(
  root: string,
  capability: string,
  id: string,
): Promise<ListedTrigger | undefined> {
  for (const status of LISTED_STATUSES) {
    const place = (await placesOf(root, capability, status)).find((each) => each.id === id);
    if (place) return describe(place);
  }
  return undefined;
}

/** Requeues a failed trigger as new; one that waits for a retry is tried immediately. */
export async function retryTrigger(root: string, id: string, owner?: string): Promise<Result<ListedTrigger>> {
  const place = await find(root, id, ["failed", "pending"]);
  if (!place || !(await isOf(place, owner)))
    return fail("not_found", { what: "failed or waiting trigger", id });
  const folder = join(root, place.capability);
  const moved = await moveIfThere(
    place.path,
    join(folder, pendingName({ stem: id, attempts: 0, notBeforeMs: 0 })),
  );
  if (!moved)
    return fail("conflict", {
      message: `The trigger ${id} has just changed state.`,
      nextStep: "List the triggers again.",
    });
  await rm(join(folder, STATE_FOLDERS.failed, `${id}.reason.json`), { force: true });
  return again(root, id);
}

/** Removes a failed, invalid or waiting trigger from the queue; it is kept separately until it is pruned. */
export async function dropTrigger(root: string, id: string, owner?: string): Promise<Result<ListedTrigger>> {
  const place = await find(root, id, ["failed", "invalid", "pending"]);
  if (!place || !(await isOf(place, owner)))
    return fail("not_found", { what: "failed, invalid or waiting trigger", id });
  const folder = join(root, place.capability);
  await forgetKey(root, place);
  const moved = await moveIfThere(place.path, join(folder, STATE_FOLDERS.dropped, `${id}.json`));
  if (!moved)
    return fail("conflict", {
      message: `The trigger ${id} has just changed state.`,
      nextStep: "List the triggers again.",
    });
  if (place.sidecar) await rm(place.sidecar, { force: true });
  return again(root, id);
}

/** Whether the trigger belongs to this user; without a user, always true. An unreadable one belongs to nobody. */
async function isOf(place: Place, owner: string | undefined): Promise<boolean> {
  return owner === undefined || (await describe(place))?.user === owner;
}

async function again(root: string, id: string): Promise<Result<ListedTrigger>> {
  const place = await find(root, id, LISTED_STATUSES);
  const listed = place && (await describe(place));
  return listed ? ok(listed) : fail("not_found", { what: "trigger", id });
}

interface Place {
  readonly capability: string;
  readonly status: ListedStatus;
  readonly path: string;
  readonly id: string;
  readonly attempts: number;
  readonly notBeforeMs: number;
  readonly sidecar?: string;
}

async function placesOf(root: string, capability: string, status: ListedStatus): Promise<Place[]> {
  const folder =
    status === "pending" ? join(root, capability) : join(root, capability, STATE_FOLDERS[status]);
  const names = (await readdir(folder).catch(() => [])).sort();
  return names.flatMap((name): Place[] => {
    if (/\.(reason|result)\.json$/.test(name)) return [];
    const path = join(folder, name);
    if (status === "processing") {
      const read = readProcessingName(name);
      return read ? [{ capability, status, path, id: read.id, attempts: read.attempts, notBeforeMs: 0 }] : [];
    }
    const read = readPendingName(name);
    if (!read) return [];
    const sidecar = join(folder, `${read.stem}.${status === "done" ? "result" : "reason"}.json`);
    return [
      {
        capability,
        status,
        path,
        id: read.stem,
        attempts: read.attempts,
        notBeforeMs: read.notBeforeMs,
        sidecar,
      },
    ];
  });
}

async function find(root: string, id: string, statuses: readonly ListedStatus[]): Promise<Place | undefined> {
  for (const capability of (await readdir(root).catch(() => [])).filter(isCapabilityFolder)) {
    for (const status of statuses) {
      const place = (await placesOf(root, capability, status)).find((each) => each.id === id);
      if (place) return place;
    }
  }
  return undefined;
}

async function describe({
  capability,
  status,
  path,
  id,
  attempts,
  notBeforeMs,
  sidecar,
}: Place): Promise<ListedTrigger | undefined> {
  const file = await readPlainFile(path, TRIGGER_MAX_BYTES);
  if (file === "gone") return undefined;
  const read = file === "refused" ? undefined : readTrigger(file.bytes.toString("utf8"));
  const about = sidecar && status !== "pending" ? await sidecarOf(sidecar) : {};
  return {
    id,
    capability,
    status,
    attempts: about.attempts ?? attempts,
    ...(read?.ok && { user: read.value.user, type: read.value.type, created_at: read.value.created_at }),
    ...(notBeforeMs > 0 && { not_before: new Date(notBeforeMs).toISOString() }),
    ...about,
  };
}

async function sidecarOf(path: string): Promise<Partial<ListedTrigger>> {
  const file = await readPlainFile(path, TRIGGER_MAX_BYTES);
  if (typeof file === "string") return {};
  try {
    const document: unknown = JSON.parse(file.bytes.toString("utf8"));
    const reason = Reason.safeParse(document);
    const result = ResultFile.safeParse(document);
    return { ...(result.success && pick(result.data)), ...(reason.success && strip(reason.data)) };
  } catch {
    return {};
  }
}

const pick = ({
  session_id,
  channel,
  delivered,
  reason,
}: z.infer<typeof ResultFile>): Partial<ListedTrigger> => ({
  ...(session_id !== undefined && { session_id }),
  ...(channel !== undefined && { channel }),
  ...(delivered !== undefined && { delivered }),
  ...(reason !== undefined && { reason }),
});

const strip = ({ reason, attempts }: z.infer<typeof Reason>): Partial<ListedTrigger> => ({
  reason,
  ...(attempts !== undefined && { attempts }),
});

async function forgetKey(root: string, { capability, path }: Place): Promise<void> {
  const file = await readPlainFile(path, TRIGGER_MAX_BYTES);
  const read = typeof file === "string" ? undefined : readTrigger(file.bytes.toString("utf8"));
  if (!read?.ok || read.value.dedupe_key === undefined) return;
  await rm(dedupeMarker(root, capability, read.value.user, read.value.dedupe_key), { force: true });
}
