/** Many spend at once from one budget: it is never exceeded by more than one reservation. */
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FreshStore, STORES } from "../../../../tools/stores-under-test.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { firstIdAt } from "../db/uuid.ts";
import { type BudgetAlert, type BudgetLedger, budgetLedger } from "./budget-ledger.ts";
import { type BudgetDraft, type BudgetStore, budgetStore } from "./budget-store.ts";

describe.each(STORES)("spending on $name", ({ name, fresh }) => {
  let store: FreshStore;
  let databases: Database[];
  let saved: BudgetStore;
  let now = new Date("2026-03-28T22:30:00Z");
  const alerts: BudgetAlert[] = [];
  const ledgers: BudgetLedger[] = [];
  beforeAll(async () => {
    store = await fresh();
    databases = [];
    for (let at = 0; at < (name === "postgres" ? 3 : 1); at++) databases.push(await opened(store));
    for (const database of databases) {
      const each = budgetStore(database, () => now);
      saved ??= each;
      const alert = (raised: BudgetAlert) => void alerts.push(raised);
      ledgers.push(budgetLedger({ database, store: each, alert, now: () => now }));
    }
  });
  afterAll(async () => {
    for (const database of databases) await database.close();
    await store.drop();
  });

  const ada = { agentId: "00000000-0000-7000-8000-000000000001", user: "ada@example.com" };
  const draft = (fields: Partial<BudgetDraft> = {}): BudgetDraft => ({
    name: "b",
    measure: "cost_usd",
    limit: 10,
    period: "day",
    timeZone: "UTC",
    atLimit: "ask",
    ...fields,
  });
  const spentOf = async (id: string) => (await saved.states(id)).get(id)?.spending[0];
  const ledger = (at: number) => ledgers[at % ledgers.length] as BudgetLedger;
  /** A run that runs, as the engine would have stored it. */
  const newRun = async (): Promise<string> => {
    const [{ pool }, id] = [databases[0] as Database, uuidv7()];
    await pool.query(
      "insert into runs(id, session_id, agent_id, status, message_id, input) values ($1, $2, $3, 'running', $4, '{}')",
      [id, await newSession(pool), ada.agentId, id],
    );
    return id;
  };
  /** Every process has read the budget. */
  const known = async (id: string) => {
    const probe = async (each: BudgetLedger) => {
      const runId = uuidv7();
      const { kind, ...found } = await each.reserve(runId, ada, async () => ({ costUsd: 0, tokens: 0 }));
      await each.release(runId);
      return kind === "reserved" && "counted" in found && found.counted;
    };
    await expect.poll(async () => (await Promise.all(ledgers.map(probe))).every(Boolean) && id).toBe(id);
  };

  test("a hundred at once never exceed the limit by more than one reservation", async () => {
    const { id } = await saved.create(draft(), "root");
    const second = await saved.create(draft({ measure: "tokens", limit: 1e6, forEach: "user" }), "root");
    await known(id);
    const estimate = async () => ({ costUsd: 0.7, tokens: 100 });
    const spend = async (at: number): Promise<number> => {
      let paid = 0;
      for (let round = 0; round < 3; round++) {
        const runId = await newRun();
        const reserved = await ledger(at).reserve(runId, ada, estimate);
        if (reserved.kind !== "reserved") continue;
        await ledger(at).settle(runId, { costUsd: 0.3 + 0.4 * Math.random(), tokens: 100 });
        paid++;
      }
      return paid;
    };
    const paid = await Promise.all(Array.from({ length: 100 }, (_, at) => spend(at)));
    const spent = await spentOf(id);
    expect(paid.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(14);
    expect(spent?.spent).toBeGreaterThan(10 - 0.7);
    expect(spent?.spent).toBeLessThanOrEqual(10.7);
    expect(spent?.reserved).toBeCloseTo(0);
    const reached = [50, 80, 100].filter((percent) => (spent?.spent ?? 0) >= percent / 10);
    const raised = alerts.filter(({ budget }) => budget.id === id).map(({ percent }) => percent);
    expect(raised.at(-1)).toBe(reached.at(-1)); // a lower one is left out when a higher one was raised before it
    expect(reached.filter((percent) => raised.includes(percent))).toEqual(raised); // each once, in order
    expect(await spentOf(second.id)).toMatchObject({ subject: ada.user, reserved: 0 });
    await saved.remove(id);
    await saved.remove(second.id);
  });

  test("a reservation that a killed process left is released when it stands in the way", async () => {
    const { id } = await saved.create(draft({ limit: 1 }), "root");
    await known(id);
    const estimate = async () => ({ costUsd: 5, tokens: 1 });
    const longAgo = firstIdAt(new Date(Date.now() - 20 * 60_000));
    expect((await ledger(0).reserve(longAgo, ada, estimate)).kind).toBe("reserved"); // no such run: dead
    expect((await ledger(0).reserve(uuidv7(), ada, estimate)).kind).toBe("reserved");
    // Outside a run, as a summary or a judge: it may still go on, so that it stays in the way.
    expect((await ledger(0).reserve(uuidv7(), ada, estimate)).kind).toBe("used_up");
    await saved.remove(id);
  });

  test("the same run's next reservation replaces the one it had", async () => {
    const { id } = await saved.create(draft({ limit: 100 }), "root");
    await known(id);
    const runId = await newRun();
    for (let at = 0; at < 3; at++)
      await ledger(0).reserve(runId, ada, async () => ({ costUsd: 5, tokens: 1 }));
    expect((await spentOf(id))?.reserved).toBe(5);
    await ledger(0).settle(runId, { costUsd: undefined, tokens: undefined });
    expect(await spentOf(id)).toMatchObject({ reserved: 0, spent: 5 }); // unknown usage counts as reserved
    await saved.remove(id);
  });

  test("a period begins at midnight of its time zone, also when the clocks change", async () => {
    const { id } = await saved.create(draft({ timeZone: "Europe/Berlin", limit: 5 }), "root");
    const at = async (moment: string) => {
      now = new Date(moment);
      const { startsAt, endsAt } = (await saved.states(id)).get(id) ?? {};
      return [startsAt?.toISOString(), endsAt?.toISOString()];
    };
    expect(await at("2026-03-28T22:30:00Z")).toEqual([
      "2026-03-27T23:00:00.000Z",
      "2026-03-28T23:00:00.000Z",
    ]);
    expect(await at("2026-03-29T12:00:00Z")).toEqual([
      "2026-03-28T23:00:00.000Z",
      "2026-03-29T22:00:00.000Z",
    ]);
    await saved.remove(id);
  });

  test("a minute and an hour are not longer when the clocks are set back", async () => {
    now = new Date("2026-10-25T00:30:30Z"); // in Berlin the hour from two to three comes twice
    for (const [period, ends] of [
      ["minute", "2026-10-25T00:31:00.000Z"],
      ["hour", "2026-10-25T01:00:00.000Z"],
    ] as const) {
      const { id } = await saved.create(draft({ timeZone: "Europe/Berlin", period }), "root");
      expect((await saved.states(id)).get(id)?.endsAt.toISOString()).toBe(ends);
      await saved.remove(id);
    }
  });

  test("the next period begins with nothing spent", async () => {
    const { id } = await saved.create(draft({ limit: 1, atLimit: "deny" }), "root");
    await known(id);
    now = new Date("2026-04-01T10:00:00Z");
    const runId = await newRun();
    await ledger(0).reserve(runId, ada, async () => ({ costUsd: 2, tokens: 1 }));
    await ledger(0).settle(runId, { costUsd: 2, tokens: 1 });
    const again = () => ledger(0).reserve(uuidv7(), ada, async () => ({ costUsd: 1, tokens: 1 }));
    expect((await again()).kind).toBe("used_up");
    now = new Date("2026-04-02T00:00:01Z");
    expect((await again()).kind).toBe("reserved");
    await saved.remove(id);
  });
});

async function newSession(pool: Database["pool"]): Promise<string> {
  const id = uuidv7();
  await pool.query("insert into sessions(id, agent_id, owner) values ($1, null, 'ada@example.com')", [id]);
  return id;
}

async function opened(store: FreshStore): Promise<Database> {
  const result = await openDatabase(store);
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}
