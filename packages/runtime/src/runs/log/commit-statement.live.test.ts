/** One commit stores what several runs used: few rows, and sums that are the same as if each message had its own. */
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FreshStore, STORES } from "../../../../../tools/stores-under-test.ts";
import { type Database, openDatabase } from "../../db/database.ts";
import { usageStore } from "../../telemetry/usage-store.ts";
import { COMMIT } from "./commit-statement.ts";

describe.each(STORES)("what runs of one commit used, on $name", ({ fresh }) => {
  let store: FreshStore;
  let database: Database;
  beforeAll(async () => {
    store = await fresh();
    const opened = await openDatabase(store);
    if (!opened.ok) throw new Error(opened.failure.message);
    database = opened.value;
  });
  afterAll(async () => {
    await database.close();
    await store.drop();
  });

  const running = async (owner: string) => {
    const [session_id, run_id] = [uuidv7(), uuidv7()];
    await database.pool.query("insert into sessions(id, owner) values ($1, $2)", [session_id, owner]);
    await database.pool.query(
      `insert into runs(id, session_id, agent_id, status, message_id, input) values ($1, $2, 'clerk', 'running', 'm', '{}')`,
      [run_id, session_id],
    );
    return { session_id, run_id, epoch: 1 };
  };
  const said = (position: number, usage: object) => ({
    position,
    id: `a${position}`,
    role: "assistant",
    content: [],
    usage,
  });
  const used = (costUsd?: number) => ({
    provider: "p",
    model: "m",
    inputTokens: 10,
    outputTokens: 2,
    costUsd,
  });

  test("is a row for each agent, model and user, apart where the price is unknown, and counts every call before and after it is moved", async () => {
    const [ann, alsoAnn, bob] = [await running("ann"), await running("ann"), await running("bob")];
    const fenced = { ...(await running("ann")), epoch: 7 };
    const commit = [
      { ...ann, messages: [said(0, used(0.5)), said(1, used())] },
      { ...alsoAnn, messages: [said(0, used(0.25))], summary: undefined },
      { ...bob, messages: [said(0, used(1)), { ...said(1, {}), role: "tool", usage: undefined }] },
      { ...fenced, messages: [said(0, used(100))] },
    ];
    await database.pool.query(COMMIT, [JSON.stringify(commit)]);
    const { rows } = await database.pool.query(
      `select user_email, model, calls, input_tokens::int as tokens, cost_usd from usage_fresh order by 1, 5`,
    );
    expect(rows).toEqual([
      { user_email: "ann", model: "p/m", calls: 2, tokens: 20, cost_usd: 0.75 },
      { user_email: "ann", model: "p/m", calls: 1, tokens: 10, cost_usd: null },
      { user_email: "bob", model: "p/m", calls: 1, tokens: 10, cost_usd: 1 },
    ]);
    const usage = usageStore(database);
    const period = { from: new Date(Date.now() - 7_200_000), to: new Date(Date.now() + 7_200_000) };
    const total = { calls: 4, inputTokens: 40, outputTokens: 8, costUsd: 1.75, unpricedCalls: 1 };
    expect(await usage.total(period)).toMatchObject(total);
    expect(await usage.roll()).toBe(3);
    expect(await usage.total(period)).toMatchObject(total);
  });
});
