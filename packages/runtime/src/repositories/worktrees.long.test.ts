/** What a killed process leaves of work in a real folder: finished or undone by the next look, on both stores. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FreshStore, STORES } from "../../../../tools/stores-under-test.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { sessionStore } from "../sessions/session-store.ts";
import { folderWorks } from "./folder-works.ts";
import { Git } from "./git.ts";
import { Worktrees } from "./worktrees.ts";

describe.each(STORES)("on $name, after a process was killed", ({ fresh }) => {
  let store: FreshStore;
  let database: Database;
  let machine: string;
  let folder: string;
  let session: string;
  let worktrees: Worktrees;
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
  beforeEach(async () => {
    machine = realpathSync(mkdtempSync(join(tmpdir(), "capstan-worktrees-")));
    folder = join(machine, "folder");
    mkdirSync(folder);
    git("init", "-q", "-b", "main");
    for (const name of ["a.txt", "b.txt"]) writeFileSync(join(folder, name), "before\n");
    git("add", "-A");
    git("commit", "-qm", "first");
    session = (await sessionStore(database).create({ id: uuidv7(), owner: "ann@example.com" })).id;
    worktrees = reopened();
    return () => rmSync(machine, { recursive: true, force: true });
  });

  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", ...args], {
      cwd: folder,
      encoding: "utf8",
    }).trim();
  /** As the next process would open it. */
  const reopened = () =>
    new Worktrees({
      git: new Git({}),
      works: folderWorks(database.pool),
      root: join(machine, "worktrees"),
      scratch: join(machine, "copies"),
      allowed: [machine],
    });
  const use = (run: (at: string) => void) =>
    worktrees.use({ sessionId: session, folder, owner: undefined }, async (at) => run(at));
  const write = (name: string, text: string) => use((at) => writeFileSync(join(at, name), text));
  const text = (name: string) => readFileSync(join(folder, name), "utf8");
  const row = async () => {
    const work = await folderWorks(database.pool).latest(session);
    if (!work) throw new Error("no work");
    return work;
  };
  const set = (columns: string, ...values: unknown[]) =>
    database.pool.query(`update folder_works set ${columns} where session_id = '${session}'`, values);
  const LONG_AGO = "updated_at = now() - interval '1 hour'";
  /** The commit that applying would make. */
  const commitOf = async (files: Record<string, string>): Promise<string> => {
    const head = git("rev-parse", "HEAD");
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    git("add", "-A");
    git("commit", "-qm", "applied");
    const commit = git("rev-parse", "HEAD");
    git("reset", "-q", "--hard", head);
    return commit;
  };

  test("while it made the worktree, the next run makes it anew", async () => {
    await write("a.txt", "mine\n");
    const admin = join(folder, ".git", "worktrees");
    const [name = ""] = execFileSync("ls", [admin], { encoding: "utf8" }).trim().split("\n");
    writeFileSync(join(admin, name, "locked"), "initializing");
    rmSync(join(machine, "worktrees", name, "b.txt"));
    worktrees = reopened();
    let seen = "";
    const used = await use((at) => {
      seen = readFileSync(join(at, "a.txt"), "utf8") + readFileSync(join(at, "b.txt"), "utf8");
    });
    expect(used).toEqual({ ok: true, value: [] });
    expect(seen).toBe("mine\nbefore\n");
  });

  test("while its program worked, what it wrote is in the change, and the next run goes on from it", async () => {
    const dies = use((at) => {
      writeFileSync(join(at, "a.txt"), "half\n");
      writeFileSync(join(at, "new.txt"), "new\n");
      throw new Error("killed");
    });
    await expect(dies).rejects.toThrow("killed");
    worktrees = reopened();
    const read = await worktrees.read(session);
    expect(read).toMatchObject({ ok: true, value: { files: [{ path: "a.txt" }, { path: "new.txt" }] } });
    await write("b.txt", "rest\n");
    expect(await worktrees.apply(session, { by: "ann@example.com", message: "All" })).toMatchObject({
      ok: true,
    });
    expect([text("a.txt"), text("b.txt"), text("new.txt")]).toEqual(["half\n", "rest\n", "new\n"]);
  });

  test("after it had moved the folder, the change counts as applied", async () => {
    await write("a.txt", "mine\n");
    const commit = await commitOf({ "a.txt": "mine\n" });
    git("merge", "-q", "--ff-only", commit);
    await set("status = 'applying', commit = $1", commit);
    expect(await reopened().read(session)).toMatchObject({ value: { work: { status: "applied", commit } } });
  });

  test("while it moved the folder, files that it had written are set back, and others stay", async () => {
    await write("a.txt", "mine\n");
    await write("new.txt", "mine too\n");
    const commit = await commitOf({ "a.txt": "mine\n", "new.txt": "mine too\n" });
    writeFileSync(join(folder, "a.txt"), "mine\n");
    writeFileSync(join(folder, "new.txt"), "mine too\n");
    writeFileSync(join(folder, "b.txt"), "Ann's\n");
    await set(`status = 'applying', commit = $1, ${LONG_AGO}`, commit);
    worktrees = reopened();
    expect(await worktrees.read(session)).toMatchObject({
      value: { work: { status: "open" }, blockedBy: [] },
    });
    expect([text("a.txt"), text("b.txt"), existsSync(join(folder, "new.txt"))]).toEqual([
      "before\n",
      "Ann's\n",
      false,
    ]);
    expect(await worktrees.apply(session, { by: "ann@example.com", message: "Again" })).toMatchObject({
      ok: true,
    });
    expect([text("a.txt"), text("b.txt"), text("new.txt")]).toEqual(["mine\n", "Ann's\n", "mine too\n"]);
  });

  test("while it may still be applying, nobody else touches the change", async () => {
    await write("a.txt", "mine\n");
    await set("status = 'applying'");
    worktrees = reopened();
    const applier = { by: "ann@example.com", message: "m" };
    expect(await worktrees.apply(session, applier)).toMatchObject({ failure: { code: "folder_busy" } });
    expect(await worktrees.discard(session, "ann@example.com")).toMatchObject({
      failure: { code: "folder_busy" },
    });
    expect(await write("b.txt", "x")).toMatchObject({ failure: { code: "folder_busy" } });
    await set(LONG_AGO);
    expect(await worktrees.apply(session, applier)).toMatchObject({ ok: true });
  });

  test("after it had discarded, the next one removes the worktree and the branch", async () => {
    await write("a.txt", "mine\n");
    await set("status = 'discarded'");
    const { branch } = await row();
    await reopened().sweep();
    expect(git("branch", "--list", branch)).toBe("");
    expect(git("worktree", "list").split("\n")).toHaveLength(1);
    await reopened().sweep(); // nothing is left
  });

  test("a commit of somebody else between looking and moving does not lose the change", async () => {
    await write("a.txt", "mine\n");
    const before = await worktrees.read(session);
    expect(before).toMatchObject({ value: { behind: 0 } });
    writeFileSync(join(folder, "b.txt"), "Ann's\n");
    git("commit", "-qam", "Ann's");
    expect(await worktrees.apply(session, { by: "ann@example.com", message: "Mine" })).toMatchObject({
      ok: true,
    });
    expect([text("a.txt"), text("b.txt")]).toEqual(["mine\n", "Ann's\n"]);
    expect(git("log", "--format=%s")).toBe("Mine\nAnn's\nfirst");
  });
});
