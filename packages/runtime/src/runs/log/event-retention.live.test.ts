import { describe, expect, test } from "vitest";
import { collect } from "../../../../../tools/engine-under-test.ts";
import { STORES } from "../../../../../tools/stores-under-test.ts";
import { useEngine } from "../../../../../tools/use-engine.ts";
import { EventRetention } from "./event-retention.ts";

const DAY_MS = 86_400_000;

describe.each(STORES)("events of runs that ended long ago on $name", ({ fresh }) => {
  const engine = useEngine(fresh);

  test("are deleted, and nothing else: the conversation stays, numbering continues, a returning client misses nothing new", async () => {
    engine.answers = () => [{ text: "Aye." }];
    const session = await engine.newSession();
    const say = async (id: string, after: number) => {
      const sent = await engine.runs.send(session, { id, content: id }, {});
      if (!sent.ok) throw new Error(sent.failure.message);
      return collect(engine.runs, session, { after });
    };
    await say("old", 0);
    const seq = await engine.runs.lastSeq(session);
    const { pool } = engine.database;
    const rowsBefore = await rowsOf(pool, session);
    const retention = new EventRetention({ pool, days: 30, onError: () => {} });
    expect(await retention.forget(new Date())).toBe(0);
    const gone = await retention.forget(new Date(Date.now() + 31 * DAY_MS));
    expect(await rowsOf(pool, session)).toBe(rowsBefore - gone);
    expect(await rowsOf(pool, session)).toBe(1);
    expect(await engine.runs.lastSeq(session)).toBe(seq);
    const events = await say("new", seq);
    expect(events.at(0)).toMatchObject({ type: "RUN_STARTED" });
    expect(await engine.runs.lastSeq(session)).toBe(seq + events.length);
    const { items } = await engine.runs.messages(session, { limit: 10 });
    expect(items.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  });

  test("are kept while the run is active or waiting", async () => {
    engine.answers = () => [{ call: "send", input: { to: "a@example.com" } }];
    const session = await engine.newSession();
    await engine.runs.send(session, { id: "ask", content: "ask" }, {});
    await collect(engine.runs, session);
    const retention = new EventRetention({ pool: engine.database.pool, days: 1, onError: () => {} });
    const before = await rowsOf(engine.database.pool, session);
    await retention.forget(new Date(Date.now() + 400 * DAY_MS));
    expect(await rowsOf(engine.database.pool, session)).toBe(before);
  });
});

async function rowsOf(
  pool: { query(text: string, values: unknown[]): Promise<{ rows: { n: number }[] }> },
  id: string,
) {
  const { rows } = await pool.query("select count(*)::int as n from events where session_id = $1", [id]);
  return rows[0]?.n ?? 0;
}
