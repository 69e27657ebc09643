import { expect, test } from "vitest";
import { collect, last, openEngine, spoken } from "../../../../tools/engine-under-test.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type BudgetLedger, budgetLedger } from "./budget-ledger.ts";
import { budgetStore } from "./budget-store.ts";

test("a budget that waits holds the model call back until the next period, then the run goes on", async () => {
  const store = await freshPglite();
  let from = Date.parse("2026-01-01T10:00:10Z");
  let began: number | undefined; // the clock stands still until the first reservation was tried
  const now = () => new Date(from + (began === undefined ? 0 : performance.now() - began));
  let ledger: BudgetLedger | undefined;
  const later: BudgetLedger = {
    async reserve(...asked) {
      const reserving = await (await ready()).reserve(...asked);
      began ??= performance.now();
      return reserving;
    },
    settle: async (...spent) => (await ready()).settle(...spent),
    release: async (runId) => (await ready()).release(runId),
    countCall: async (...counted) => (await ready()).countCall(...counted),
  };
  const ready = async (): Promise<BudgetLedger> => ledger ?? later;
  const engine = await openEngine(store, {
    script: () => [{ text: "At last." }],
    parts: { budgets: later, now },
  });
  try {
    const saved = budgetStore(engine.database, now);
    ledger = budgetLedger({ database: engine.database, store: saved, alert: () => {}, now });
    await saved.create(
      { name: "rate", measure: "tokens", limit: 1, period: "minute", timeZone: "UTC", atLimit: "wait" },
      "root",
    );
    const sent = [];
    for (const moment of ["2026-01-01T10:00:10Z", "2026-01-01T10:00:59.900Z"]) {
      [began, from] = [undefined, Date.parse(moment)];
      const session = await engine.newSession();
      await engine.runs.send(session, { content: "go" });
      sent.push(await collect(engine.runs, session));
    }
    for (const events of sent) {
      expect(spoken(events)).toBe("At last.");
      expect(last(events)).toMatchObject({ type: "RUN_FINISHED" });
    }
    expect(JSON.stringify(sent)).toMatch(
      /The budget \\"rate\\" is used up; waiting until 2026-01-01T10:01:00/,
    );
  } finally {
    await engine.close();
    await store.drop();
  }
});
