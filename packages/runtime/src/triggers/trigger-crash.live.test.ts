import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { countIn, judge, startManager, stopManager, writeTriggers } from "./fixtures/crash-rig.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "capstan-crash-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const STEPS = [
  "lane-taken",
  "dedupe-marked",
  "claimed",
  "handled",
  "result-written",
  "moved",
  "lane-released",
];

describe("kill -9", () => {
  test.each(STEPS)("right after %s loses nothing, duplicates nothing and keeps the order", async (killAt) => {
    const triggers = writeTriggers(dataDir, { count: 20, users: 3, failEvery: 5 });
    for (const nth of [1, 6]) {
      const killed = startManager({ dataDir, killAt, nth });
      expect(await once(killed, "exit")).toEqual([null, "SIGKILL"]);
    }
    await finish(triggers.length);
    expect(judge(dataDir, triggers)).toEqual({
      done: 20,
      handled: 20,
      elsewhere: [],
      lost: [],
      outOfOrder: [],
    });
  });

  test.each(["legacy-taken", "legacy-written"])(
    "right after %s loses nothing of the legacy file",
    async (killAt) => {
      const triggers = Array.from({ length: 5 }, (_, index) => ({
        id: `0b8f2c3e-6a1d-4c5b-9e7f-00000000000${index}`,
        user: "user@example.com",
        type: "x",
        created_at: `2026-01-01T00:0${index}:00.000Z`,
      }));
      writeFileSync(join(dataDir, "rt-triggers.json"), JSON.stringify({ inbox: triggers }));
      expect(await once(startManager({ dataDir, killAt }), "exit")).toEqual([null, "SIGKILL"]);
      await finish(triggers.length);
      expect(judge(dataDir, triggers)).toMatchObject({ done: 5, handled: 5, lost: [], outOfOrder: [] });
    },
  );

  test("of one of three managers lets the others take over its triggers", async () => {
    const triggers = writeTriggers(dataDir, { count: 60, users: 6 });
    const [first, ...others] = [1, 2, 3].map(() =>
      startManager({ dataDir, concurrent: 2, killAt: "claimed", nth: 1_000_000 }),
    );
    await vi.waitFor(() => expect(countIn(dataDir, "_done")).toBeGreaterThan(5), {
      timeout: 30_000,
      interval: 5,
    });
    first?.kill("SIGKILL");
    await vi.waitFor(() => expect(countIn(dataDir, "_done")).toBe(60), { timeout: 30_000, interval: 20 });
    await Promise.all(others.map(stopManager));
    expect(judge(dataDir, triggers)).toEqual({
      done: 60,
      handled: 60,
      elsewhere: [],
      lost: [],
      outOfOrder: [],
    });
  });
});

async function finish(count: number): Promise<void> {
  const survivor = startManager({ dataDir });
  await vi.waitFor(() => expect(countIn(dataDir, "_done")).toBe(count), { timeout: 30_000, interval: 20 });
  await stopManager(survivor);
}
