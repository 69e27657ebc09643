/** The audit log against who owns the database. Each title says what would be possible. */
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { typeCommand } from "../../../../tools/command-under-test.ts";
import { type FreshStore, STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

describe.each(STORES)("the audit log on $name", ({ fresh }) => {
  let server: TestServer;
  let store: FreshStore;
  beforeEach(async () => {
    store = await fresh();
    server = await testServer(store);
    for (const name of ["one", "two", "three"]) await makeKey(name);
  });
  afterEach(() => server.stop());

  const makeKey = (name: string) => server.call("POST", "/v1/keys", { name, rights: ["read"] });
  const query = (statement: string) => server.services.database.pool.query(statement);
  const asOwner = async (statement: string) => {
    await query("alter table audit_log disable trigger all");
    await query(statement);
    await query("alter table audit_log enable trigger all");
  };
  const verify = async () => (await server.call("GET", "/v1/audit/verification")).body;
  const CUT_ONE = "delete from audit_log where id = (select max(id) from audit_log)";
  const cut = { intact: false, broken: { why: expect.stringContaining("the log was cut") } };

  test("would be changed or shortened", async () => {
    for (const statement of [
      "update audit_log set actor = 'eve'",
      "delete from audit_log",
      "truncate audit_log",
    ])
      await expect(query(statement), statement).rejects.toThrow(/append-only/);
    expect(await verify()).toMatchObject({ intact: true, unchained: 0, checked: 3 });
  });

  test("would be changed by who owns the database, unseen", async () => {
    await asOwner("update audit_log set actor = 'eve' where id = (select min(id) + 1 from audit_log)");
    expect(await verify()).toMatchObject({ intact: false, broken: { why: "it was changed" } });
  });

  test("would lose its last rows, unseen", async () => {
    await asOwner(CUT_ONE);
    expect(await verify()).toMatchObject({ ...cut, checked: 2 });
    const typed = await typeCommand(server.url, ["audit", "verify"]);
    expect(typed).toMatchObject({ code: 1, out: expect.stringContaining("the log was cut") });
  });

  test("would lose all of them, unseen", async () => {
    await asOwner("delete from audit_log");
    expect(await verify()).toMatchObject({ ...cut, checked: 0 });
  });

  test("would lose them with the signature of where it ended, set back to an earlier one", async () => {
    const [older] = (await query("select value from server_settings where name = 'audit_head'")).rows;
    await makeKey("four");
    await asOwner(CUT_ONE);
    const text = JSON.stringify(older?.value).replaceAll("'", "''");
    await query(`update server_settings set value = '${text}' where name = 'audit_head'`);
    expect(await verify()).toMatchObject(cut);
  });

  test("would lose them where the data folder is lost as well, unless the signature is", async () => {
    await rm(join(server.services.settings.CAPSTAN_DATA_DIR, "audit-head"));
    await asOwner(CUT_ONE);
    expect(await verify()).toMatchObject(cut);
    await query(`update server_settings set value = value || '{"id": 2}' where name = 'audit_head'`);
    expect(await verify()).toMatchObject({
      intact: false,
      broken: { why: expect.stringContaining("signature") },
    });
  });

  test("would be set back by who has the database, the data folder and an older copy of both, unless its hash was kept", async () => {
    const file = join(store.dataDir, "audit-head");
    await copyFile(file, `${file}.old`);
    const [older] = (await query("select value from server_settings where name = 'audit_head'")).rows;
    await makeKey("four");
    const kept = (await verify()).head;
    await makeKey("five");
    const typed = (hash: string) => typeCommand(server.url, ["audit", "verify", "--expect", hash]);
    expect(await typed(kept)).toMatchObject({ code: 0, out: expect.stringContaining("is intact") });
    await asOwner("delete from audit_log where id in (select id from audit_log order by id desc limit 2)");
    const text = JSON.stringify(older?.value).replaceAll("'", "''");
    await query(`update server_settings set value = '${text}' where name = 'audit_head'`);
    await server.close();
    await copyFile(`${file}.old`, file);
    server = await testServer(store);
    expect(await verify()).toMatchObject({ intact: true, checked: 3 }); // by itself it cannot know
    expect(await typed(kept)).toMatchObject({
      code: 1,
      out: expect.stringContaining("set back or rewritten"),
    });
    const { body, status } = await server.call("GET", "/v1/audit/verification?expect=short");
    expect({ status, code: body.code }).toEqual({ status: 422, code: "input_invalid" });
  });

  test("would be as good as new once another row is added", async () => {
    await asOwner(CUT_ONE);
    await makeKey("four");
    await makeKey("five");
    expect(await verify()).toMatchObject({
      intact: false,
      broken: { why: "the log was cut before this row" },
    });
    const { items } = (await server.call("GET", "/v1/audit?action=audit.cut")).body;
    expect(items).toMatchObject([{ actor: "capstan", subject: expect.any(String) }]);
  });

  test("comes in pages, newest first, by who, what and on what", async () => {
    const names = async (search: string) => {
      const { status, body } = await server.call("GET", `/v1/audit?${search}`);
      expect(status, search).toBe(200);
      return [body.items.map(({ details }: { details: { name: string } }) => details.name), body.next_cursor];
    };
    const [first, next] = await names("limit=2");
    expect(first).toEqual(["three", "two"]);
    await makeKey("four");
    expect(await names(`limit=2&cursor=${next}`)).toEqual([["one"], undefined]);
    expect(await names("limit=4&action=key&actor=local@localhost")).toEqual([
      ["four", "three", "two", "one"],
      undefined,
    ]);
    expect(await names("action=agent")).toEqual([[], undefined]);
    expect((await server.call("GET", "/v1/audit?cursor=x")).status).toBe(400);
    const typed = await typeCommand(server.url, ["audit", "--limit", "1", "--action", "key.created"]);
    expect(typed.out).toMatch(/key\.created[\s\S]*More: capstan audit --cursor \d+/);
  });
});
