import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTrigger } from "@capstan/core/internal";
import { uuidv7 } from "uuidv7";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FreshStore, STORES } from "../../../../tools/stores-under-test.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { dueTime, type Schedule, ScheduleSource, scheduleStore } from "./schedules.ts";

let root: string;
const opened: { store: FreshStore; database: Database }[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "capstan-schedules-"));
});
afterEach(async () => {
  for (const { store, database } of opened.splice(0)) {
    await database.close();
    await store.drop();
  }
  rmSync(root, { recursive: true, force: true });
});

describe.each(STORES)("schedules on $name", ({ fresh }) => {
  test("write one valid trigger for each planned time, however many processes check", async () => {
    const store = scheduleStore(await open(fresh));
    const own = schedule({
      cron: "0 9 * * *",
      payload: { report: "daily" },
      routing: { channel: "webhook", target: "https://x.org" },
    });
    await store.put(own);
    const now = new Date("2026-01-02T09:00:01Z");
    const sources = [1, 2, 3].map(() => new ScheduleSource({ store, root, now: () => now }));
    await Promise.all(sources.map((source) => source.tick()));
    const [file = "", ...others] = readdirSync(join(root, "inbox"));
    expect(others).toEqual([]);
    expect(readTrigger(readFileSync(join(root, "inbox", file), "utf8"))).toMatchObject({
      ok: true,
      value: {
        id: file.replace(".json", ""),
        user: "user@example.com",
        type: "morning",
        created_at: "2026-01-02T09:00:00.000Z",
        payload: { report: "daily", schedule_id: own.id },
        routing: { channel: "webhook", target: "https://x.org" },
      },
    });
    expect(await sources[0]?.tick()).toBe(0);
    expect((await store.list())[0]?.lastFiredAt).toEqual(new Date("2026-01-02T09:00:00Z"));
  });

  test("that are invalid are refused, disabled ones do nothing, and removed ones are gone", async () => {
    const store = scheduleStore(await open(fresh));
    expect(await store.put(schedule({ cron: "every day" }))).toMatchObject({
      failure: { code: "schedule_invalid" },
    });
    expect(await store.put(schedule({ timezone: "Mars/Olympus" }))).toMatchObject({
      failure: { code: "schedule_invalid" },
    });
    const off = schedule({ enabled: false });
    await store.put(off);
    expect(await new ScheduleSource({ store, root, now: () => new Date() }).tick()).toBe(0);
    expect([await store.remove(off.id), await store.remove(off.id), await store.list()]).toEqual([
      true,
      false,
      [],
    ]);
  });
});

test.each([
  ["fires once after a long sleep", {}, "2026-03-01T12:00:00Z", "2026-03-01T09:00:00.000Z"],
  ["does not fire before its time", {}, "2026-01-01T08:59:59Z", undefined],
  [
    "does not fire twice",
    { lastFiredAt: new Date("2026-01-02T09:00:00Z") },
    "2026-01-02T23:00:00Z",
    undefined,
  ],
  [
    "respects its time zone",
    { timezone: "Europe/Berlin" },
    "2026-01-01T08:30:00Z",
    "2026-01-01T08:00:00.000Z",
  ],
  [
    "that was resumed does not catch up what fell due while it was paused",
    { lastFiredAt: new Date("2026-01-01T09:00:00Z"), resumedAt: new Date("2026-01-05T10:00:00Z") },
    "2026-01-05T10:00:01Z",
    undefined,
  ],
])("a schedule %s", (_, change, now, expected) => {
  expect(dueTime(schedule({ cron: "0 9 * * *", ...change }), new Date(now))?.toISOString()).toBe(expected);
});

function schedule(change: Partial<Schedule> = {}): Schedule {
  return {
    id: uuidv7(),
    capability: "inbox",
    user: "user@example.com",
    cron: "0 9 * * *",
    timezone: "UTC",
    type: "morning",
    payload: {},
    enabled: true,
    createdAt: new Date("2026-01-01T00:00:00Z"),
    ...change,
  };
}

async function open(fresh: () => Promise<FreshStore>): Promise<Database> {
  const store = await fresh();
  const database = await openDatabase(store);
  if (!database.ok) throw new Error(database.failure.message);
  opened.push({ store, database: database.value });
  return database.value;
}
