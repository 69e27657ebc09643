/** What a killed process leaves of work in a real folder: finished or undone by the next look, on both stores. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { gitIn, machinesOn, OWNER } from "./fixtures/machine.ts";
import type { Worktrees } from "./worktrees.ts";

describe.each(STORES)("on $name, after a process was killed", ({ fresh }) => {
  const { newMachine, pool, works } = machinesOn(fresh);
  let machine: string;
  let folder: string;
  let session: string;
  let worktrees: Worktrees;
  let reopened: () => Worktrees;
  beforeEach(async () => {
    ({ machine, folder, session, worktrees, reopened } = await newMachine());
  });

  const git = (...args: string[]) => gitIn(folder, ...args);
  const use = (run: (at: string) => void) =>
    worktrees.use({ sessionId: session, folder, owner: undefined }, async (at) => run(at));
  const write = (name: string, text: string) => use((at) => writeFileSync(join(at, name), text));
  const text = (name: string) => readFileSync(join(folder, name), "utf8");
  const row = async () => {
    const work = await works().latest(session);
    if (!work) throw new Error("no work");
    return work;
  };
  const set = (columns: string, ...values: unknown[]) =>
    pool().query(`update folder_works set ${columns} where session_id = '${session}'`, values);
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
    expect(await worktrees.apply(session, { by: OWNER, message: "All" })).toMatchObject({
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
    expect(await worktrees.apply(session, { by: OWNER, message: "Again" })).toMatchObject({
      ok: true,
    });
    expect([text("a.txt"), text("b.txt"), text("new.txt")]).toEqual(["mine\n", "Ann's\n", "mine too\n"]);
  });

  test("while it may still be applying, nobody else touches the change", async () => {
    await write("a.txt", "mine\n");
    await set("status = 'applying'");
    worktrees = reopened();
    const applier = { by: OWNER, message: "m" };
    expect(await worktrees.apply(session, applier)).toMatchObject({ failure: { code: "folder_busy" } });
    expect(await worktrees.discard(session, OWNER)).toMatchObject({
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
    expect(await worktrees.apply(session, { by: OWNER, message: "Mine" })).toMatchObject({
      ok: true,
    });
    expect([text("a.txt"), text("b.txt")]).toEqual(["mine\n", "Ann's\n"]);
    expect(git("log", "--format=%s")).toBe("Mine\nAnn's\nfirst");
  });
});
