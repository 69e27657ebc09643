import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { type SessionSearch, searchSessions } from "./session-search.ts";
import { sessionStore } from "./session-store.ts";

describe.each(STORES)("searching sessions on $name", ({ fresh }) => {
  let database: Database;
  let drop: () => Promise<unknown>;
  const ids = { tides: "", sums: "", other: "" };

  beforeAll(async () => {
    const store = await fresh();
    drop = store.drop;
    const opened = await openDatabase({ dataDir: store.dataDir, url: store.url });
    if (!opened.ok) throw new Error(opened.failure.message);
    database = opened.value;
    const sessions = sessionStore(database);
    ids.tides = (await sessions.create({ owner: "ann@example.com", title: "Harbour" })).id;
    ids.sums = (await sessions.create({ owner: "ann@example.com", title: "Sums" })).id;
    ids.other = (await sessions.create({ owner: "bob@example.com", title: "Tides of Bob" })).id;
    await say(ids.tides, 0, [{ type: "text", text: "When is high water in Lisbon?" }]);
    await say(ids.tides, 1, [
      {
        type: "tool-result",
        toolCallId: "t",
        toolName: "tide",
        output: { type: "json", value: { port: "Cascais" } },
      },
    ]);
    await say(ids.sums, 0, [{ type: "text", text: "Add 2 and 40; the café's bill" }]);
  });
  afterAll(async () => {
    await database?.close();
    await drop?.();
  });

  test.each([
    ["high water", "tides"],
    ["lisb", "tides"],
    ["CASCAIS", "tides"],
    ["café", "sums"],
    ["harb", "tides"],
  ] as const)("finds %j by all its words, the last one incomplete", async (text, name) => {
    const found = await find(text);
    expect(found.map(({ id }) => id)).toEqual([ids[name]]);
  });

  test("marks the words in an excerpt", async () => {
    expect((await find("Lisbon"))[0]?.excerpt).toContain("«Lisbon»");
  });

  test("finds messages sent after the last search", async () => {
    expect(await find("anchorage")).toEqual([]);
    await say(ids.sums, 1, [{ type: "text", text: "An anchorage, too" }]);
    expect((await find("anchorage")).map(({ id }) => id)).toEqual([ids.sums]);
  });

  test("shows nobody another user's sessions", async () => {
    expect(await find("Bob")).toEqual([]);
    expect(await find("Bob", { owner: undefined })).toHaveLength(1);
  });

  test.each(["", "   ", "!!! & | :*", "a & !b | (c"])("treats %j as words, or as nothing", async (text) => {
    expect(Array.isArray(await find(text))).toBe(true);
  });

  const find = async (text: string, page: Partial<SessionSearch> = {}) =>
    (await searchSessions(database, { text, limit: 10, owner: "ann@example.com", ...page })).items;

  async function say(sessionId: string, position: number, content: object[]): Promise<void> {
    await database.pool.query(
      "insert into messages(session_id, position, id, run_id, role, content) values ($1, $2, $3, $1, 'user', $4)",
      [sessionId, position, crypto.randomUUID(), JSON.stringify(content)],
    );
  }
});
