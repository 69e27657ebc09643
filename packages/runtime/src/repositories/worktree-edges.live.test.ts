/** Repositories as people have them, and what happens to them meanwhile: whatever is refused, nothing of anybody is lost. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { gitIn, machinesOn, newRepository, OWNER, put } from "./fixtures/machine.ts";
import type { Worktrees } from "./worktrees.ts";

const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 12345\n`;
const APPLIER = { by: OWNER, message: "Apply" };

describe.each(STORES)("on $name", ({ fresh }) => {
  const { newMachine, newSession, pool, works } = machinesOn(fresh);
  let machine: string;
  let folder: string;
  let session: string;
  let worktrees: Worktrees;
  beforeEach(async () => {
    ({ machine, folder, session, worktrees } = await newMachine());
  });

  const repository = (name: string, files: Record<string, string>) =>
    newRepository(join(machine, name), files);
  const git = (...args: string[]) => gitIn(folder, ...args);
  const use = (run: (at: string) => void, at = folder, id = session) =>
    worktrees.use({ sessionId: id, folder: at, owner: undefined }, async (place) => run(place));
  const write = (files: Record<string, string>) => use((at) => put(at, files));
  const text = (name: string, at = folder) => readFileSync(join(at, name), "utf8");
  const branch = async () => (await works().latest(session))?.branch ?? "";
  const change = async () => {
    const read = await worktrees.read(session);
    if (!read.ok) throw new Error(read.failure.message);
    return read.value;
  };
  const changed = async () => (await change()).files.map(({ path }) => path);

  test("a dirty tree stays as it is: staged, unstaged and untracked work is neither in the change nor touched", async () => {
    put(folder, { "a.txt": "staged\n", "b.txt": "unstaged\n", "own.txt": "untracked\n" });
    git("add", "a.txt");
    const status = git("status", "--porcelain");
    let seen = "";
    await use((at) => {
      seen = text("a.txt", at) + readdirSync(at).includes("own.txt");
      put(at, { "c.txt": "new\n" });
    });
    expect(seen).toBe("before\nfalse");
    expect(await changed()).toEqual(["c.txt"]);
    expect(git("status", "--porcelain")).toBe(status);
    expect(await worktrees.apply(session, APPLIER)).toMatchObject({ ok: true });
    expect(git("status", "--porcelain")).toBe(status);
    expect([text("a.txt"), text("b.txt"), text("own.txt"), text("c.txt")].join("")).toBe(
      "staged\nunstaged\nuntracked\nnew\n",
    );
  });

  test("an ignored file of the folder is not overwritten by a change that brings one of its name", async () => {
    put(folder, { ".gitignore": ".env\n" });
    git("add", "-A");
    git("commit", "-qm", "ignore");
    put(folder, { ".env": "KEY=of-ann\n" });
    await write({ ".gitignore": "", ".env": "KEY=of-the-program\n" });
    expect(await change()).toMatchObject({ blockedBy: [".env"] });
    expect(await worktrees.apply(session, APPLIER)).toMatchObject({
      failure: { code: "folder_change_blocked", details: { paths: [".env"] } },
    });
    expect(text(".env")).toBe("KEY=of-ann\n");
    expect(await changed()).toContain(".env");
    renameSync(join(folder, ".env"), join(folder, ".env.mine"));
    expect(await worktrees.apply(session, APPLIER)).toMatchObject({ ok: true });
  });

  test("with no branch checked out a change can be made and discarded, and is applied once there is one", async () => {
    git("checkout", "-q", "--detach");
    await write({ "a.txt": "mine\n" });
    expect(await worktrees.apply(session, APPLIER)).toMatchObject({
      failure: { code: "folder_unusable", nextStep: expect.stringContaining("Check out the branch") },
    });
    expect(await changed()).toEqual(["a.txt"]);
    git("checkout", "-q", "main");
    expect(await worktrees.apply(session, APPLIER)).toMatchObject({ ok: true });
    expect(text("a.txt")).toBe("mine\n");
  });

  test.each<[string, () => string, RegExp, RegExp]>([
    ["without commits", () => made("empty", "init", "-q"), /no commit yet/, /first commit/],
    ["that is bare", () => made("bare.git", "init", "-q", "--bare"), /bare/, /clone/i],
    [
      "whose folder is the one git keeps",
      () => join(folder, ".git"),
      /no folder that people work in/,
      /Name/,
    ],
  ])("a repository %s is refused with what to do", async (_, at, why, nextStep) => {
    const refused = await use(() => {}, at());
    expect(refused).toMatchObject({
      failure: {
        code: "folder_unusable",
        message: expect.stringMatching(why),
        nextStep: expect.stringMatching(nextStep),
      },
    });
  });
  const made = (name: string, ...args: string[]) => {
    mkdirSync(join(machine, name));
    gitIn(join(machine, name), ...args);
    return join(machine, name);
  };

  test("a submodule stays at its commit, and what was written into it is named and left out", async () => {
    const inner = repository("inner", { "inner.txt": "inner\n" });
    git("submodule", "--quiet", "add", inner, "sub");
    git("commit", "-qm", "submodule");
    const pinned = git("rev-parse", "HEAD:sub");
    await write({ "a.txt": "mine\n", "sub/lost.txt": "x\n" });
    expect(await change()).toMatchObject({ notes: ["Left out: sub: changes inside a submodule"] });
    expect(await worktrees.apply(session, APPLIER)).toMatchObject({ ok: true });
    expect(git("rev-parse", "HEAD:sub")).toBe(pinned);
    expect(text("sub/inner.txt")).toBe("inner\n");
    expect(git("status", "--porcelain")).toBe("");
  });

  test("a submodule can itself be the folder", async () => {
    const inner = repository("inner", { "inner.txt": "inner\n" });
    git("submodule", "--quiet", "add", inner, "sub");
    const sub = join(folder, "sub");
    expect(await use((at) => put(at, { "inner.txt": "mine\n" }), sub)).toEqual({ ok: true, value: [] });
    expect(await worktrees.apply(session, APPLIER)).toMatchObject({ ok: true });
    expect(text("inner.txt", sub)).toBe("mine\n");
  });

  test("a worktree of a person can be the folder, and the repository beside it does not change", async () => {
    const other = join(machine, "other");
    git("worktree", "add", "-q", "-b", "side", other);
    expect(await use((at) => put(at, { "a.txt": "mine\n" }), other)).toEqual({ ok: true, value: [] });
    expect(await worktrees.apply(session, APPLIER)).toMatchObject({ ok: true });
    expect([text("a.txt", other), text("a.txt")]).toEqual(["mine\n", "before\n"]);
    expect(git("worktree", "list")).toContain("[side]");
  });

  test("a repository inside the folder is named, and its own history stays", async () => {
    const nested = join(folder, "nested");
    mkdirSync(nested);
    gitIn(nested, "init", "-q");
    put(nested, { "n.txt": "n\n" });
    gitIn(nested, "add", "-A");
    gitIn(nested, "commit", "-qm", "nested");
    const head = gitIn(nested, "rev-parse", "HEAD");
    await use((at) => {
      put(at, { "a.txt": "mine\n", "made/x.txt": "x\n" });
      gitIn(join(at, "made"), "init", "-q");
    });
    expect(await change()).toMatchObject({ notes: ["Left out: made/: a repository of its own"] });
    expect(await worktrees.apply(session, APPLIER)).toMatchObject({ ok: true });
    expect([gitIn(nested, "rev-parse", "HEAD"), text("n.txt", nested)]).toEqual([head, "n\n"]);
  });

  test("pointers of LFS stay pointers where its program is not there", async () => {
    const attributes = "*.bin filter=lfs diff=lfs merge=lfs -text\n";
    put(folder, { ".gitattributes": attributes, "big.bin": POINTER });
    git("add", "-A");
    git("commit", "-qm", "lfs");
    let seen = "";
    await use((at) => {
      seen = text("big.bin", at);
      put(at, { "a.txt": "mine\n" });
    });
    expect(seen).toBe(POINTER);
    expect(await changed()).toEqual(["a.txt"]);
    await write({ "big.bin": POINTER.replace("12345", "99") });
    expect(await worktrees.apply(session, APPLIER)).toMatchObject({ ok: true });
    expect(text("big.bin")).toBe(POINTER.replace("12345", "99"));
  });

  test.each([
    ["of the same name", (name: string) => name],
    ["whose name is the first part of it", () => "capstan"],
  ])("a branch of a person %s stays where it is, also after discarding", async (_, named) => {
    const name = named(`capstan/${session.replaceAll("-", "").slice(-12)}`);
    git("checkout", "-q", "-b", name);
    put(folder, { "person.txt": "a person's\n" });
    git("add", "-A");
    git("commit", "-qm", "a person's");
    const tip = git("rev-parse", "HEAD");
    git("checkout", "-q", "main");
    let seen: string[] = [];
    const used = await use((at) => {
      seen = readdirSync(at).filter((file) => file !== ".git");
      put(at, { "a.txt": "mine\n" });
    });
    expect(used).toEqual({ ok: true, value: [] });
    expect(seen).toEqual(["a.txt", "b.txt"]);
    expect(await worktrees.discard(session, OWNER)).toMatchObject({ ok: true });
    expect(git("rev-parse", name)).toBe(tip);
  });

  test("what was discarded while the folder was away does not come back with it", async () => {
    await write({ "a.txt": "discarded\n" });
    renameSync(folder, `${folder}-away`);
    expect(await worktrees.discard(session, OWNER)).toMatchObject({ ok: true });
    renameSync(`${folder}-away`, folder);
    let seen = "";
    await use((at) => {
      seen = text("a.txt", at);
    });
    expect(seen).toBe("before\n");
  });

  test("what a sweep still has to remove of settled work leaves the next work of the session alone", async () => {
    await write({ "a.txt": "one\n" });
    await worktrees.apply(session, APPLIER);
    await pool().query("update folder_works set cleared_at = null where session_id = $1", [session]);
    await write({ "a.txt": "two\n" });
    await worktrees.sweep();
    expect(await changed()).toEqual(["a.txt"]);
    expect(await worktrees.apply(session, APPLIER)).toMatchObject({ ok: true });
    expect(text("a.txt")).toBe("two\n");
  });

  test("a worktree that is removed while its program works ends in words, and the last saved state is still there", async () => {
    await write({ "a.txt": "saved\n" });
    const used = await use((at) => rmSync(at, { recursive: true }));
    expect(used).toMatchObject({
      ok: true,
      value: [expect.stringContaining("was removed while its program was running")],
    });
    expect(await changed()).toEqual(["a.txt"]);
    let seen = "";
    expect(
      await use((at) => {
        seen = text("a.txt", at);
      }),
    ).toEqual({ ok: true, value: [] });
    expect(seen).toBe("saved\n");
  });

  test("a worktree that git was told to remove meanwhile ends in words too", async () => {
    await write({ "a.txt": "saved\n" });
    const used = await use((at) => git("worktree", "remove", "--force", at));
    expect(used).toMatchObject({
      ok: true,
      value: [expect.stringContaining("was removed while its program was running")],
    });
    expect(await changed()).toEqual(["a.txt"]);
    expect(await worktrees.apply(session, APPLIER)).toMatchObject({ ok: true });
    expect(text("a.txt")).toBe("saved\n");
  });

  test("what a program wrote survives when git's own part of the worktree is removed", async () => {
    await write({ "a.txt": "saved\n" });
    await use((at) => {
      put(at, { "a.txt": "newer\n", "deep/new.txt": "new\n" });
      rmSync(join(at, "b.txt"));
      rmSync(join(folder, ".git", "worktrees"), { recursive: true });
    });
    let seen = "";
    expect(
      await use((at) => {
        seen = text("a.txt", at) + text("deep/new.txt", at) + existsSync(join(at, "b.txt"));
      }),
    ).toEqual({ ok: true, value: [] });
    expect(seen).toBe("newer\nnew\nfalse");
    expect(await changed()).toEqual(["a.txt", "b.txt", "deep/new.txt"]);
  });

  test("a branch that a person deletes meanwhile is made again with the work on it", async () => {
    await use((at) => {
      put(at, { "a.txt": "mine\n" });
      const [name = ""] = git("for-each-ref", "--format=%(refname)", "refs/heads/capstan").split("\n");
      git("update-ref", "-d", name);
    });
    expect(await changed()).toEqual(["a.txt"]);
    expect(await worktrees.apply(session, APPLIER)).toMatchObject({ ok: true });
    expect(text("a.txt")).toBe("mine\n");
  });

  test("eight sessions that begin at once in one folder each have their work", async () => {
    const sessions = await Promise.all(Array.from({ length: 8 }, newSession));
    const used = await Promise.all(
      sessions.map((id, index) => use((at) => put(at, { [`${index}.txt`]: id }), folder, id)),
    );
    expect(used.every((one) => one.ok && one.value.length === 0)).toBe(true);
    const applied = await Promise.all(sessions.map((id) => worktrees.apply(id, APPLIER)));
    expect(applied.filter((one) => !one.ok)).toEqual([]);
    expect(sessions.map((_, index) => text(`${index}.txt`))).toEqual(sessions);
    expect(git("for-each-ref", "refs/heads/capstan")).toBe("");
  });

  test("a conflict leaves both sides as they are, and the change can be applied once it is solved", async () => {
    await write({ "a.txt": "mine\n" });
    put(folder, { "a.txt": "theirs\n" });
    git("commit", "-qam", "theirs");
    expect(await worktrees.apply(session, APPLIER)).toMatchObject({
      failure: { code: "folder_change_conflicts", details: { paths: ["a.txt"] } },
    });
    expect([text("a.txt"), git("status", "--porcelain")]).toEqual(["theirs\n", ""]);
    expect(git("show", `${await branch()}:a.txt`)).toBe("mine");
    git("reset", "-q", "--hard", "HEAD^");
    expect(await worktrees.apply(session, APPLIER)).toMatchObject({ ok: true });
    expect(text("a.txt")).toBe("mine\n");
  });
});
