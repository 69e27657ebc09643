/** kill -9 of one of three servers every five seconds for three minutes under a hundred concurrent runs, and worse. */
import { expect, test } from "vitest";
import { runChaos } from "../../../../tools/chaos/chaos.ts";
import { ownPostgres } from "../../../../tools/chaos/own-postgres.ts";
import { writeReliability } from "../../../../tools/reliability-results.ts";

const PLAN = {
  seconds: 180,
  concurrent: 100,
  killEverySeconds: 5,
  cutEverySeconds: 7,
  triggersPerSecond: 2,
  restartAt: [45, 90, 135],
  drainSeconds: 150,
};

test("three minutes of chaos under a hundred concurrent runs", async () => {
  const postgres = await ownPostgres();
  try {
    const { counts, faults } = await runChaos(PLAN, postgres);
    writeReliability("chaos", { plan: PLAN, counts, faults: faults.length });
    console.log(JSON.stringify(counts, null, 1));
    expect(faults).toEqual([]);
    expect(counts.committedCallsRepeated).toBe(0);
    expect(counts.kills).toBe(PLAN.seconds / PLAN.killEverySeconds);
  } finally {
    await postgres.stop();
  }
});
