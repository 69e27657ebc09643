import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { type FreshStore, STORES } from "../../../../../tools/stores-under-test.ts";
import { openDatabase } from "../../db/database.ts";
import { CrashClient, CrashServer, freePort, newLog } from "../fixtures/crash-harness.ts";

let store: FreshStore | undefined;
let server: CrashServer | undefined;
afterEach(async () => {
  await server?.kill();
  await store?.drop();
});

describe.each(STORES)("a process killed with a summary on $name", ({ fresh }) => {
  test.each([
    ["before it is stored: it is written again, once", "before", 1],
    ["after it is stored: it is not written again", "after", 0],
  ] as const)("%s", { timeout: 60_000 }, async (_what, killed, repeated) => {
    store = await fresh();
    const log = newLog(store);
    const port = await freePort();
    const { dataDir, url } = store;
    server = new CrashServer({ dataDir, url, port, log, toolMs: 0, pieceMs: 0, long: {} });
    await server.start({ long: { killed } });
    const client = new CrashClient(() => port);
    await server.ended();
    await server.start();
    await client.done;
    await server.kill();
    const { summaries, results } = await stored(store);
    expect(summaries.length).toBeGreaterThan(0);
    expect(new Set(summaries).size).toBe(summaries.length);
    const asked = readFileSync(log, "utf8").match(/^summary$/gm)?.length ?? 0;
    expect(asked).toBe(summaries.length + repeated);
    expect(new Set(results).size).toBe(results.length); // no message is lost or stored twice
    expect(results.length).toBe(12);
    expect(client.faults).toEqual([]);
  });
});

async function stored(of: FreshStore): Promise<{ summaries: number[]; results: string[] }> {
  const opened = await openDatabase(of);
  if (!opened.ok) throw new Error(opened.failure.message);
  const { pool } = opened.value;
  const summaries = await pool.query<{ at: number }>("select to_position as at from session_summaries");
  const results = await pool.query<{ id: string }>(
    "select content->0->>'toolCallId' as id from messages where role = 'tool'",
  );
  await opened.value.close();
  return { summaries: summaries.rows.map(({ at }) => at), results: results.rows.map(({ id }) => id) };
}
