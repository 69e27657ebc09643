import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FreshStore, STORES } from "../../../../tools/stores-under-test.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { BREAKER_RULES } from "../network/circuit-breaker.ts";
import { type BreakerStore, breakerStore } from "./breaker-store.ts";

describe.each(STORES)("breakers on $name", ({ fresh }) => {
  let store: FreshStore;
  let database: Database;
  let breakers: BreakerStore;
  beforeAll(async () => {
    store = await fresh();
    const opened = await openDatabase(store);
    if (!opened.ok) throw new Error(opened.failure.message);
    database = opened.value;
    breakers = breakerStore(database.pool);
  });
  afterAll(async () => {
    await database.close();
    await store.drop();
  });

  const check = { capabilityId: "lint", tool: "lint_check" };
  const version = { capabilityId: "lint", tool: "lint_version" };

  test("a tool that keeps failing rests, and the others of its capability go on", async () => {
    for (let at = 0; at < BREAKER_RULES.failuresToOpen; at++) await breakers.settle(check, false);
    expect(await breakers.admit(check)).toMatchObject({ pass: false });
    expect(await breakers.admit(version)).toMatchObject({ pass: true });
    expect(await breakers.list()).toMatchObject([{ ...check, state: "open" }]);
  });

  test("a row of an older version, for a whole capability, stops nothing and is not listed", async () => {
    await database.pool.query(
      "insert into capability_breakers (capability_id, state, failures, opened_at) values ('mail', 'open', 5, now())",
    );
    expect(await breakers.admit({ capabilityId: "mail", tool: "send" })).toMatchObject({ pass: true });
    expect((await breakers.list()).map(({ capabilityId }) => capabilityId)).toEqual(["lint"]);
  });
});
