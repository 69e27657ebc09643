import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Result } from "@capstan/core";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { collect, openEngine, spoken, USER } from "../../../../tools/engine-under-test.ts";
import type { Script } from "../../../../tools/scripted-model.ts";
import { type FreshStore, freshPglite, freshPostgres, STORES } from "../../../../tools/stores-under-test.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { openOrganisationDatabase } from "../organisations/organisation-database.ts";
import { organisationStore } from "../organisations/organisation-store.ts";
import { backUp } from "./backup.ts";
import { moveStore } from "./move-store.ts";
import { restore } from "./restore.ts";
import { placeOf, type StoreColumn, storeTables } from "./store-tables.ts";

const WAYS = STORES.flatMap((from) => STORES.map((to) => ({ from, to }))).filter(
  ({ from, to }) => from.name === "pglite" || to.name === "pglite", // the fourth combination shows nothing new
);
const quiet = () => {};

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

test.each(WAYS)("from $from.name to $to.name every row arrives, and runs continue", async ({ from, to }) => {
  const source = await made(from.fresh());
  const before = await startTwo(source);
  const expected = await withDatabase(source, async (database) => {
    await fillEveryTable(database);
    return everything(database);
  });
  const path = await backedUp(source);
  const target = await made(to.fresh());
  const report = value(await restore({ path, to: target, progress: quiet }));
  expect(report.rows).toMatchObject({ agents: 3, session_files: 3, audit_log: 3, sessions: 5 });
  expect(Object.keys(report.rows)).not.toContain("executors");
  await withDatabase(target, async (database) => {
    expect(await everything(database)).toEqual(handedOver(expected));
    const next = "insert into audit_log(actor, action, subject) values ('a', 'b', 'c') returning id::int";
    expect((await database.pool.query(next)).rows).toEqual([{ id: COUNTED_FROM + 4 }]);
  });
  await continueRuns(target, before);
});

test.each(WAYS.slice(1))(
  "from $from.name to $to.name every organisation arrives, each in its own place, and is closed to the others",
  async ({ from, to }) => {
    const source = await made(from.fresh());
    const expected = await withDatabase(source, async (database) => {
      await fillOrganisations(database, ["acme", "beta"]);
      await database.pool.query("update organisations set disabled_at = now() where id = 'beta'");
      return inOrganisations(database, ["acme", "beta"]);
    });
    const path = await backedUp(source);
    const target = await made(to.fresh());
    value(await restore({ path, to: target, progress: quiet }));
    await withDatabase(target, async (database) => {
      expect(await inOrganisations(database, ["acme", "beta"])).toEqual(expected);
      const acme = value(await openOrganisationDatabase(database, "acme"));
      const { rows } = await acme.pool.query("select count(*)::int as agents from agents");
      expect(rows).toEqual([{ agents: 3 }]);
      const next = "insert into audit_log(actor, action, subject) values ('a', 'b', 'c') returning id::int";
      expect((await acme.pool.query(next)).rows).toEqual([{ id: COUNTED_FROM + 4 }]);
      const foreign = acme.pool.query('select * from "organisation_beta".agents');
      await expect(foreign).rejects.toThrow(/permission denied/);
      await acme.close();
    });
    const again = await restore({ path, to: { ...target, dataDir: await folder() }, progress: quiet });
    if (to.name === "postgres") expect(again).toMatchObject({ ok: false });
  },
);

test("organisations move from the embedded store to Postgres", async () => {
  const source = await made(freshPglite());
  const expected = await withDatabase(source, async (database) => {
    await fillOrganisations(database, ["acme"]);
    return inOrganisations(database, ["acme"]);
  });
  const { url = "" } = await made(freshPostgres());
  const { dataDir } = source;
  value(await moveStore({ dataDir, url, version: "test", progress: quiet }));
  const moved = await withDatabase({ dataDir, url }, (database) => inOrganisations(database, ["acme"]));
  expect(moved).toEqual(expected);
});

test("working files and the newest end of the log of an organisation stay behind, its other files arrive", async () => {
  const source = await made(freshPglite());
  await withDatabase(source, async () => {});
  const own = join(source.dataDir, "organisations", "acme");
  mkdirSync(join(own, "work"), { recursive: true });
  writeFileSync(join(own, "work", "copy"), "x");
  writeFileSync(join(own, "kept"), "kept");
  const target = await made(freshPglite());
  value(await restore({ path: await backedUp(source), to: target, progress: quiet }));
  expect(readdirSync(join(target.dataDir, "organisations", "acme"))).toEqual(["kept"]);
});

describe("moving the embedded store to Postgres", () => {
  test("copies every session, and the embedded store stays unchanged", async () => {
    const source = await made(freshPglite());
    const before = await startTwo(source);
    const expected = await withDatabase(source, async (database) => {
      await fillEveryTable(database);
      return everything(database);
    });
    const { url = "" } = await made(freshPostgres());
    const { dataDir } = source;
    value(await moveStore({ dataDir, url, version: "test", progress: quiet }));
    expect(await withDatabase({ dataDir, url }, everything)).toEqual(handedOver(expected));
    expect(await withDatabase(source, everything)).toEqual(expected);
    await continueRuns({ dataDir, url }, before);
  });
});

describe("the data folder in a backup", () => {
  test("is restored with secrets, triggers, links, permissions and packages, but without process state", async () => {
    const source = await made(freshPglite());
    const put = putInto(source.dataDir);
    put("secret.key", "abc\n", 0o600);
    put("capstan.lock", "{}");
    put("rt_triggers/mail/1.json", "{}");
    put("rt_triggers/_managers/me.json", "{}");
    put("users/a@example.com/capabilities/mail/notes", "x".repeat(3_000_000));
    symlinkSync("capabilities/mail", join(source.dataDir, "users/a@example.com/mail"));
    put("packages/abc.1/main.js", "run()", 0o755);
    symlinkSync("abc.1", join(source.dataDir, "packages/abc"));
    put("packages/def.1/venv/pyvenv.cfg", "");
    symlinkSync("/no/such/python", join(source.dataDir, "packages/def.1/venv/python"));
    symlinkSync("def.1", join(source.dataDir, "packages/def"));
    put("server.log", "noise");
    put("work/1-abc/file", "noise");
    const path = await backedUp(source);
    const target = await made(freshPglite());
    expect(value(await restore({ path, to: target, progress: quiet })).files).toBe(6);
    const at = (name: string) => join(target.dataDir, name);
    expect(readFileSync(at("secret.key"), "utf8")).toBe("abc\n");
    expect(lstatSync(at("secret.key")).mode & 0o777).toBe(0o600);
    expect(lstatSync(at("packages/abc/main.js")).mode & 0o777).toBe(0o755);
    expect(readFileSync(at("users/a@example.com/mail/notes"), "utf8")).toHaveLength(3_000_000);
    expect(readlinkSync(at("packages/abc"))).toBe("abc.1");
    const gone = ["server.log", "work", "rt_triggers/_managers", "packages/def", "packages/def.1"];
    for (const name of gone) expect(lstatSync(at(name), { throwIfNoEntry: false }), name).toBeUndefined();
  });

  test("is only unpacked inside itself, whatever the paths in the file say", async () => {
    const path = await backedUp(await made(freshPglite()));
    const target = await made(freshPglite());
    const owner = { mode: 0o600, uid: 0, gid: 0, changed_ms: 0 };
    await rewritten(path, [
      { is: "link", path: "out", target: tmpdir() },
      { is: "file", path: "out/capstan-escaped", ...owner },
    ]);
    const throughLink = await restore({ path, to: target, progress: quiet });
    expect(throughLink).toMatchObject({ ok: false, failure: { code: "store_copy_failed" } });
    await rewritten(path, [{ is: "file", path: "../capstan-escaped", ...owner }]);
    expect(await restore({ path, to: target, progress: quiet })).toMatchObject({
      ok: false,
      failure: { message: expect.stringContaining("is outside the data folder") },
    });
    expect(lstatSync(join(tmpdir(), "capstan-escaped"), { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe("a backup or a move is refused, and changes nothing,", () => {
  let small: Buffer;
  beforeAll(async () => {
    const source = await made(freshPglite());
    await withDatabase(source, ({ pool }) => pool.query("insert into users(email) values ('tester')"));
    small = await readFile(await backedUp(source));
  });
  const copy = async () => {
    const path = join(await folder(), "copy.capstan");
    await writeFile(path, small);
    return path;
  };

  test("while a server is using the folder", async () => {
    const source = await made(freshPglite());
    await writeFile(join(source.dataDir, "capstan.pid"), `${process.ppid}\n`);
    expect(await tryBackup(source)).toMatchObject({ ok: false, failure: { code: "data_folder_locked" } });
  });

  test("where there is no store", async () => {
    const dataDir = await folder();
    expect(await tryBackup({ dataDir })).toMatchObject({
      ok: false,
      failure: { code: "backup_nothing_there" },
    });
  });

  test("when the file already exists", async () => {
    expect(await tryBackup(await made(freshPglite()), await copy())).toMatchObject({
      ok: false,
      failure: { code: "backup_exists" },
    });
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ["cut off", (bytes) => bytes.subarray(0, bytes.length - 20)],
    ["without its end", (bytes) => gzipSync(lines(bytes).slice(0, -1).join(""))],
    ["with a changed value", (bytes) => gzipSync(lines(bytes).join("").replace("tester", "someone"))],
    ["with a line removed", (bytes) => gzipSync(lines(bytes).toSpliced(1, 1).join(""))],
    ["that is something else", () => Buffer.from("hello")],
    ["of nothing", () => Buffer.alloc(0)],
  ])("with a file %s", async (_what, damage) => {
    const path = await copy();
    await writeFile(path, damage(small));
    expect(await restore({ path, to: { dataDir: await folder() }, progress: quiet })).toMatchObject({
      ok: false,
      failure: { code: "backup_unreadable", nextStep: expect.stringContaining("Nothing was changed") },
    });
  });

  test("with a file of a later format", async () => {
    const path = await copy();
    await rewritten(path, [], { format: 3, version: "9.0.0" });
    expect(await restore({ path, to: { dataDir: await folder() }, progress: quiet })).toMatchObject({
      ok: false,
      failure: { code: "backup_other_format", nextStep: expect.stringContaining("9.0.0") },
    });
  });

  test("when the data has something this version would lose", async () => {
    const path = await copy();
    const target = await made(freshPglite());
    const file = { is: "file", path: "users/a@b.c/notes", mode: 0o600, uid: 0, gid: 0, changed_ms: 0 };
    const rows = { is: "rows", table: "users", columns: ["email", "shoe_size"], rows: [["a@b.c", "43"]] };
    await rewritten(path, [file, rows], { schema: ["of another version"] });
    expect(await restore({ path, to: target, progress: quiet })).toMatchObject({
      ok: false,
      failure: { code: "backup_schema_unknown", message: expect.stringContaining("shoe_size") },
    });
    expect(await withDatabase(target, everything)).toMatchObject({ users: [] });
    expect(readdirSync(target.dataDir)).toEqual(["db"]);
  });

  test.each(STORES)("into a $name that has rows", async ({ fresh }) => {
    const path = await copy();
    const target = await made(fresh());
    await withDatabase(target, ({ pool }) => pool.query("insert into users(email) values ('a@b.c')"));
    expect(await restore({ path, to: target, progress: quiet })).toMatchObject({
      ok: false,
      failure: { code: "target_not_empty", message: expect.stringContaining("users") },
    });
  });

  test("into a folder that has files", async () => {
    const path = await copy();
    const target = await made(freshPglite());
    putInto(target.dataDir)("secret.key", "x");
    expect(await restore({ path, to: target, progress: quiet })).toMatchObject({
      ok: false,
      failure: { code: "target_not_empty", message: expect.stringContaining("secret.key") },
    });
  });

  test("to a Postgres in use by a server", async () => {
    const source = await made(freshPglite());
    const { url = "" } = await made(freshPostgres());
    await withDatabase({ dataDir: source.dataDir, url }, ({ pool }) =>
      pool.query("insert into executors(id, seen) values ('someone', now())"),
    );
    const moved = await moveStore({ dataDir: source.dataDir, url, version: "test", progress: quiet });
    expect(moved).toMatchObject({ ok: false, failure: { code: "target_in_use" } });
  });
});

test("a backup from before a column was added is restored with the column's default", async () => {
  const path = await backedUp(await made(freshPglite()));
  const target = await made(freshPglite());
  const rows = [{ is: "rows", table: "users", columns: ["email"], rows: [["a@b.c"]] }];
  await rewritten(path, rows, { schema: ["of an earlier version"] });
  value(await restore({ path, to: target, progress: quiet }));
  const found = await withDatabase(target, ({ pool }) => pool.query("select email, scopes from users"));
  expect(found.rows).toEqual([{ email: "a@b.c", scopes: [] }]);
});

interface Started {
  readonly waiting: string;
  readonly on: string;
}

const script: Script = ({ prompt }, step) => {
  if (step > 0) return [{ text: "Done." }];
  const isMail = JSON.stringify(prompt).includes("mail bob");
  return [
    isMail ? { call: "send", input: { to: "bob@example.com" } } : { call: "add", input: { a: 2, b: 3 } },
  ];
};

/** One run that waits for an approval, and one whose process died. */
async function startTwo(store: FreshStore): Promise<Started> {
  const never = new Promise<never>(() => {});
  const engine = await openEngine(store, {
    script: (call, step) => (step > 0 ? [{ until: never }] : script(call, step)),
  });
  const [waiting, on] = [await engine.newSession(), await engine.newSession()];
  await engine.runs.send(waiting, { content: "mail bob" });
  await collect(engine.runs, waiting);
  await engine.runs.send(on, { content: "add" });
  await collect(engine.runs, on, { enough: ({ type }) => type === "TOOL_CALL_RESULT" });
  await engine.runs.drain(0);
  await engine.database.pool.query("update runs set owner = 'a-dead-process' where status = 'running'");
  await engine.database.close();
  return { waiting, on };
}

async function continueRuns(
  store: { dataDir: string; url?: string | undefined },
  { waiting, on }: Started,
): Promise<void> {
  const engine = await openEngine(store, { script });
  try {
    expect(spoken(await collect(engine.runs, on))).toContain("Done.");
    expect(engine.records.map(({ tool }) => tool)).toEqual([]); // its call was committed before the move
    const { items } = await engine.runs.approvals.list({ sessionId: waiting, limit: 10 });
    expect(items).toMatchObject([{ status: "pending", tool: "send" }]);
    const after = await engine.runs.lastSeq(waiting);
    value(await engine.runs.approvals.answer(items[0]?.id ?? "", { approve: true, by: USER }));
    expect(spoken(await collect(engine.runs, waiting, { after }))).toBe("Done.");
    expect(engine.notes).toMatchObject([{ text: "sent to bob@example.com" }]);
    expect(engine.errors).toEqual([]);
  } finally {
    await engine.close();
  }
}

const uuid = (n: number) => `00000000-0000-7000-8000-00000000a00${n}`;
const SAMPLES: Record<string, (n: number) => string> = {
  uuid,
  text: (n) => `${n} "quoted" \\ {a,b} \n 😀 NULL`,
  json: (n) => `{"z": ${n}, "a":  [1, null, "\\u00e9"], "z": 2}`,
  jsonb: (n) => `{"z": ${n}, "a": [0.1, "x"]}`,
  bytea: (n) => `\\x${Buffer.from(Array.from({ length: 256 }, (_, i) => i)).toString("hex")}0${n}`,
  boolean: (n) => String(n === 1),
  "timestamp with time zone": (n) => `2026-01-02 03:04:05.67890${n}+02`,
  "timestamp with time zone[]": (n) => `{"2026-01-02 03:04:05.67890${n}+02",NULL}`,
};

const COUNTED_FROM = 1_000; // rows that runs wrote have the first numbers

/** Rows in these promise schemas. */
const OF_SEVERAL_ORGANISATIONS = ["organisations", "organisation_members"];

/** Each as a server makes it, with three rows in each table that say whose they are. */
async function fillOrganisations(database: Database, ids: readonly string[]): Promise<void> {
  const store = organisationStore(database);
  for (const id of ids) {
    value(await store.create({ id, name: id, requestsPerMinute: null, by: "ann@example.com" }));
    const opened = value(await openOrganisationDatabase(database, id));
    await opened.close();
    await fillEveryTable(database, id);
    await database.pool.query(`update "organisation_${id}".agents set name = $1`, [`of ${id}`]);
    await store.ready(id);
  }
}

const inOrganisations = (database: Database, ids: readonly string[]) =>
  Promise.all(ids.map((id) => everything(database, id)));

/** Three rows in each table. All uuids of a row are the same, so that every reference is valid. */
async function fillEveryTable({ pool }: Database, organisation?: string): Promise<void> {
  const left = [...OF_SEVERAL_ORGANISATIONS, ...(organisation ? ["migrations"] : [])];
  const tables = (await storeTables(pool, undefined, organisation)).filter(
    ({ name }) => !left.includes(name),
  );
  for (const table of tables) {
    const { columns } = table;
    for (const n of [1, 2, 3]) {
      const names = columns.map((column) => `"${column.name}"`).join(", ");
      const values = columns.map(({ type }, index) => `$${index + 1}::text::${type}`).join(", ");
      await pool.query(`insert into ${placeOf(table)} (${names}) values (${values})`, columns.map(sample(n)));
    }
    for (const { name: column } of columns.filter(({ counts }) => counts)) {
      await pool.query(
        `select setval(pg_get_serial_sequence('${placeOf(table)}', '${column}'), ${COUNTED_FROM + 3})`,
      );
    }
  }
}

const sample =
  (n: number) =>
  ({ name, type, counts }: StoreColumn) => {
    if (counts) return String(COUNTED_FROM + n);
    return name === "status" && type === "text" ? "done" : (SAMPLES[type]?.(n) ?? String(n));
  };

async function everything({ pool }: Database, organisation?: string): Promise<Record<string, string[]>> {
  const tables = await storeTables(pool, undefined, organisation);
  const found: Record<string, string[]> = {};
  for (const table of tables) {
    const { rows } = await pool.query(
      `select row_to_json(t)::text as row from (select * from ${placeOf(table)}) t order by 1`,
    );
    found[table.name] = rows.map(({ row }) => row);
  }
  return found;
}

const handedOver = (all: Record<string, string[]>): Record<string, string[]> => ({
  ...all,
  runs: (all.runs ?? []).map((row) => row.replace('"owner":"a-dead-process"', '"owner":""')).sort(),
});

async function withDatabase<T>(
  store: { dataDir: string; url?: string | undefined },
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = value(await openDatabase(store));
  try {
    await database.pool.query("set timezone = 'UTC'");
    return await work(database);
  } finally {
    await database.close();
  }
}

const tryBackup = async (from: { dataDir: string; url?: string }, path?: string) =>
  backUp({
    from,
    path: path ?? join(await folder(), "test.capstan"),
    version: "test",
    now: () => new Date(),
    progress: quiet,
  });

async function backedUp(from: FreshStore): Promise<string> {
  return value(await tryBackup(from)).path;
}

/** The same file with these lines as its content, and a matching checksum. */
async function rewritten(path: string, contents: object[], header: object = {}): Promise<void> {
  const [first = ""] = lines(await readFile(path));
  const { createHash } = await import("node:crypto");
  const all = [{ ...JSON.parse(first), ...header }, ...contents].map((line) => `${JSON.stringify(line)}\n`);
  const sha256 = createHash("sha256").update(all.join("")).digest("hex");
  const end = `${JSON.stringify({ is: "end", lines: all.length, sha256, rows: {}, files: 0 })}\n`;
  await writeFile(path, gzipSync([...all, end].join("")));
}

const lines = (bytes: Buffer): string[] =>
  gunzipSync(bytes)
    .toString("utf8")
    .split(/(?<=\n)/);

async function made(store: Promise<FreshStore>): Promise<FreshStore> {
  const fresh = await store;
  cleanups.push(() => fresh.drop());
  return fresh;
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "capstan-backup-"));
  cleanups.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

const putInto =
  (root: string) =>
  (name: string, text: string, mode = 0o644) => {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), text, { mode });
  };

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.failure.message} ${result.failure.nextStep}`);
  return result.value;
}
