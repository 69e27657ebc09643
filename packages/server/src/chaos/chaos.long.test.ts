/** The short form: ten seconds of what `chaos.slow.test.ts` does for three minutes. */
import { expect, test } from "vitest";
import { runChaos } from "../../../../tools/chaos/chaos.ts";
import { ownPostgres } from "../../../../tools/chaos/own-postgres.ts";

test("servers killed, connections cut, Postgres restarted: every run ends, nothing committed is repeated, no event is lost", {
  timeout: 240_000,
}, async () => {
  const postgres = await ownPostgres();
  try {
    const { counts, faults } = await runChaos(
      {
        seconds: 10,
        concurrent: 6,
        killEverySeconds: 4,
        cutEverySeconds: 3,
        triggersPerSecond: 1,
        restartAt: [6],
        drainSeconds: 120,
      },
      postgres,
    );
    console.log(JSON.stringify(counts));
    expect(faults).toEqual([]);
    expect(counts).toMatchObject({ committedCallsRepeated: 0, postgresRestarts: 1 });
    expect(counts.kills).toBeGreaterThan(0);
    expect(counts.done).toBeGreaterThan(0);
  } finally {
    await postgres.stop();
  }
});
