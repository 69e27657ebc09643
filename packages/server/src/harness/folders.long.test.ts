/** Agents that work in a real folder: on a branch in a worktree, until a person applies or discards the change. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { typeCommand } from "../../../../tools/command-under-test.ts";
import { spoken } from "../../../../tools/engine-under-test.ts";
import { type HarnessUnderTest, harnessUnderTest } from "./fixtures/harness-under-test.ts";
import { scriptedAdapter } from "./fixtures/scripted-adapter.ts";

const machine = realpathSync(mkdtempSync(join(tmpdir(), "capstan-folders-")));
const allowed = join(machine, "allowed");
let bench: HarnessUnderTest;
let made = 0;
beforeAll(async () => {
  chmodSync(machine, 0o755); // the program's user reads the repository
  mkdirSync(allowed);
  bench = await harnessUnderTest({
    adapters: [scriptedAdapter(), scriptedAdapter({ name: "second" })],
    settings: { CAPSTAN_CODING_AGENT_FOLDERS: allowed },
  });
});
afterAll(async () => {
  await bench.stop();
  rmSync(machine, { recursive: true, force: true });
});

const git = (folder: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();

/** A repository with one commit. */
function repository(files: Record<string, string> = { "a.txt": "one\ntwo\n", "b.txt": "b\n" }): string {
  const folder = join(allowed, `repository-${++made}`);
  mkdirSync(folder);
  git(folder, "init", "-q", "-b", "main");
  commit(folder, files);
  return folder;
}

function commit(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  git(folder, "add", "-A");
  git(folder, "commit", "-qm", "by Ann");
}

const call = (method: string, path: string, body?: object, who?: Record<string, string>) =>
  bench.server.call(method, path, body, who);
const working = (folder: string, more: object = {}) =>
  bench.session({ harness: "scripted", allow_native_tools: true, folder, ...more });
const changes = (session: string, step = "", body?: object, who?: Record<string, string>) =>
  call(
    step ? "POST" : "GET",
    `/v1/sessions/${session}/changes${step && `/${step}`}`,
    body ?? (step ? {} : undefined),
    who,
  );
const worktreeOf = (folder: string) =>
  git(folder, "worktree", "list", "--porcelain").match(/worktree (.*worktrees.*)/)?.[1] ?? "";
const text = (folder: string, path: string) => readFileSync(join(folder, path), "utf8");
const branches = (folder: string) => git(folder, "branch", "--format=%(refname:short)").split("\n");

describe("an agent with a folder", () => {
  test("changes a branch in a worktree, and the folder itself only once a person applies the change", async () => {
    const folder = repository();
    const session = await working(folder);
    await call("PATCH", `/v1/sessions/${session}`, { title: "Count further" });
    await bench.turn(session, "write a.txt one, two, three\nwrite new.txt fresh\nshell rm b.txt");
    expect(text(folder, "a.txt")).toBe("one\ntwo\n");
    expect(git(folder, "status", "--porcelain")).toBe("");
    const { body: open } = await changes(session);
    expect(open).toMatchObject({
      status: "open",
      folder,
      behind: 0,
      conflicts: [],
      blocked_by: [],
      problem: null,
    });
    expect(open.files).toEqual([
      {
        path: "a.txt",
        change: "changed",
        kind: "file",
        additions: 1,
        deletions: 2,
        diff: expect.stringContaining("+one, two, three"),
      },
      {
        path: "b.txt",
        change: "removed",
        kind: "file",
        additions: 0,
        deletions: 1,
        diff: expect.stringContaining("-b"),
      },
      {
        path: "new.txt",
        change: "added",
        kind: "file",
        additions: 1,
        deletions: 0,
        diff: expect.stringContaining("+fresh"),
      },
    ]);
    expect(branches(folder)).toEqual([open.branch, "main"]);

    const { body: applied, status } = await changes(session, "apply");
    expect([status, applied.status]).toEqual([200, "applied"]);
    expect(text(folder, "a.txt")).toBe("one, two, three");
    expect(existsSync(join(folder, "b.txt"))).toBe(false);
    expect(git(folder, "status", "--porcelain")).toBe("");
    expect(git(folder, "log", "-1", "--format=%H %s")).toBe(`${applied.commit} Count further`);
    expect(git(folder, "log", "-1", "--format=%b")).toContain(session);
    expect(branches(folder)).toEqual(["main"]); // worktree and branch are gone
    expect(git(folder, "worktree", "list").split("\n")).toHaveLength(1);
    const { body: log } = await call("GET", "/v1/audit?q=change.applied");
    expect(log.items[0]).toMatchObject({ subject: session, details: { folder, commit: applied.commit } });
    expect((await changes(session, "apply")).body).toMatchObject({ code: "not_found" });
  });

  test("starts its next message from the folder's newest commit, and goes on in an open change", async () => {
    const folder = repository();
    const session = await working(folder);
    await bench.turn(session, "write a.txt mine");
    expect(spoken(await bench.turn(session, "read a.txt"))).toContain("mine");
    await changes(session, "apply");
    commit(folder, { "a.txt": "Ann's" });
    expect(spoken(await bench.turn(session, "read a.txt"))).toContain("Ann's");
  });

  test("leaves the folder as it was when a person discards the change", async () => {
    const folder = repository();
    const before = git(folder, "rev-parse", "HEAD");
    const session = await working(folder);
    await bench.turn(session, "write a.txt no\nwrite deep/er.txt no");
    const { body } = await changes(session, "discard");
    expect(body).toMatchObject({ status: "discarded", files: [], settled_by: expect.any(String) });
    expect(git(folder, "rev-parse", "HEAD")).toBe(before);
    expect([git(folder, "status", "--porcelain"), branches(folder)]).toEqual(["", ["main"]]);
    const { body: log } = await call("GET", "/v1/audit?q=change.discarded");
    expect(log.items[0]).toMatchObject({ subject: session });
  });

  test("works in it under the owner's user id, and does not get the repository's own files", async () => {
    const folder = repository();
    const session = await working(folder);
    const said = spoken(
      await bench.turn(session, "shell git status --short\nshell touch a.txt && stat -c %u a.txt\nuser"),
    );
    const [, file, uid] = /(\d+)\s+uid (\d+)/.exec(said) ?? [];
    expect(file).toBe(uid);
    expect(said).not.toMatch(/dubious|fatal/);
    const written = spoken(
      await bench.turn(session, "shell git commit --allow-empty -m sneaky\nshell echo done"),
    );
    if (process.getuid?.() === 0) expect(written).toMatch(/denied|unable/i);
    expect(git(folder, "log", "--format=%s")).toBe("by Ann");
  });

  test("has the work of each message as a commit on its branch, after those that its program made itself", async () => {
    const folder = repository();
    const session = await working(folder);
    await bench.turn(session, "write a.txt first");
    const worktree = worktreeOf(folder);
    writeFileSync(join(worktree, "own.txt"), "own");
    git(worktree, "-c", "safe.directory=*", "add", "own.txt");
    git(worktree, "-c", "safe.directory=*", "commit", "-qm", "by the program");
    await bench.turn(session, "write b.txt second");
    const { body } = await changes(session);
    expect(body.files.map(({ path }: { path: string }) => path)).toEqual(["a.txt", "b.txt", "own.txt"]);
    expect(git(folder, "log", "--format=%s", body.branch).split("\n")).toEqual([
      `Work of session ${session}`,
      "by the program",
      `Work of session ${session}`,
      "by Ann",
    ]);
  });
});

describe("a folder is refused", () => {
  test.each<[string, () => string, object, string]>([
    ["outside the allowed ones", () => machine, {}, "folder_not_allowed"],
    ["that does not exist outside them", () => "/nowhere/at/all", {}, "folder_not_allowed"],
    ["below an allowed one by a way that leads out", () => join(allowed, ".."), {}, "folder_not_allowed"],
    ["that is a link out of an allowed one", () => link("out", machine), {}, "folder_not_allowed"],
    ["that is no repository", () => plain("plain"), {}, "folder_unusable"],
    ["inside a repository", () => inside(), {}, "folder_unusable"],
    ["without a commit", () => empty(), {}, "folder_unusable"],
    ["that is gone", () => join(allowed, "gone"), {}, "folder_unusable"],
    ["for the native loop", () => repository(), { harness: "native" }, "folder_without_tools"],
    [
      "for a program without its own tools",
      () => repository(),
      { allow_native_tools: false },
      "folder_without_tools",
    ],
  ])("%s", async (_, folder, more, code) => {
    const agent = { name: "A", harness: "scripted", allow_native_tools: true, folder: folder(), ...more };
    const answer = await call("POST", "/v1/agents", agent);
    expect(answer).toMatchObject({ status: 422, body: { code, nextStep: expect.any(String) } });
  });

  const link = (name: string, to: string) => {
    symlinkSync(to, join(allowed, name));
    return join(allowed, name);
  };
  const plain = (name: string) => {
    mkdirSync(join(allowed, name));
    return join(allowed, name);
  };
  const inside = () => {
    const folder = repository({ "deep/a.txt": "a" });
    return join(folder, "deep");
  };
  const empty = () => {
    const folder = plain("empty");
    git(folder, "init", "-q");
    return folder;
  };
});

describe("a folder that others use too", () => {
  test("keeps uncommitted work: a change of other files is applied beside it, of the same files refused", async () => {
    const folder = repository();
    const session = await working(folder);
    await bench.turn(session, "write a.txt agent's\nwrite new.txt agent's");
    writeFileSync(join(folder, "b.txt"), "Ann's, not committed");
    writeFileSync(join(folder, "new.txt"), "Ann's, not even added");
    expect((await changes(session)).body).toMatchObject({ blocked_by: ["new.txt"] });
    const refused = await changes(session, "apply");
    expect(refused).toMatchObject({
      status: 409,
      body: { code: "folder_change_blocked", details: { paths: ["new.txt"] } },
    });
    expect([text(folder, "a.txt"), text(folder, "new.txt")]).toEqual(["one\ntwo\n", "Ann's, not even added"]);
    rmSync(join(folder, "new.txt"));
    expect((await changes(session, "apply")).body).toMatchObject({ status: "applied" });
    expect([text(folder, "a.txt"), text(folder, "b.txt")]).toEqual(["agent's", "Ann's, not committed"]);
    expect(git(folder, "status", "--porcelain")).toBe("M b.txt");
  });

  test("takes the changes of several sessions one after the other, and refuses one that conflicts", async () => {
    const folder = repository({ "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n" });
    const [one, two, three] = await Promise.all([working(folder), working(folder), working(folder)]);
    const line = (number: number, word: string) => `shell sed -i s/^${number}$/${word}/ a.txt`;
    await Promise.all([
      bench.turn(one ?? "", line(1, "first")),
      bench.turn(two ?? "", line(9, "last")),
      bench.turn(three ?? "", line(1, "other")),
    ]);
    const settled = await Promise.all([changes(one ?? "", "apply"), changes(two ?? "", "apply")]);
    expect(settled.map(({ status }) => status)).toEqual([200, 200]);
    expect(text(folder, "a.txt")).toBe("first\n2\n3\n4\n5\n6\n7\n8\nlast\n");
    expect((await changes(three ?? "")).body).toMatchObject({ behind: 2, conflicts: ["a.txt"] });
    const refused = await changes(three ?? "", "apply");
    expect(refused).toMatchObject({
      status: 409,
      body: { code: "folder_change_conflicts", details: { paths: ["a.txt"] } },
    });
    expect((await changes(three ?? "")).body).toMatchObject({ status: "open" });
    expect(git(folder, "status", "--porcelain")).toBe("");
  });

  test("refuses a change while no branch is checked out, and says so", async () => {
    const folder = repository();
    const session = await working(folder);
    await bench.turn(session, "write a.txt x");
    git(folder, "checkout", "-q", "--detach");
    expect((await changes(session, "apply")).body).toMatchObject({ code: "folder_unusable" });
    git(folder, "checkout", "-q", "main");
    expect((await changes(session, "apply")).status).toBe(200);
  });

  test("that is deleted or moved is named in the run, and the change can still be discarded", async () => {
    const folder = repository();
    const session = await working(folder);
    await bench.turn(session, "write a.txt x");
    renameSync(folder, `${folder}-moved`);
    expect((await changes(session)).body).toMatchObject({
      status: "open",
      problem: { code: "folder_unusable" },
    });
    expect((await changes(session, "apply")).body).toMatchObject({ code: "folder_unusable" });
    const sent = await call("POST", `/v1/sessions/${session}/messages`, { content: "read a.txt" });
    expect(sent.body).toMatchObject({ code: "folder_unusable" });
    expect((await changes(session, "discard")).body).toMatchObject({ status: "discarded" });
  });

  test("has its worktree made again from the branch where somebody removed it", async () => {
    const folder = repository();
    const session = await working(folder);
    await bench.turn(session, "write a.txt kept");
    rmSync(worktreeOf(folder), { recursive: true });
    expect((await changes(session)).body.files).toMatchObject([
      { path: "a.txt", diff: expect.stringContaining("+kept") },
    ]);
    expect(spoken(await bench.turn(session, "read a.txt"))).toContain("kept");
  });
});

describe("what a program leaves in its worktree", () => {
  test("is shown as it is: links are not followed, and those that lead out are named", async () => {
    const folder = repository();
    const session = await working(folder);
    const secret = join(machine, "secret");
    writeFileSync(secret, "TOP SECRET", { mode: 0o600 });
    await bench.turn(session, `shell ln -s ${secret} leak.txt; rm a.txt; ln -s b.txt a.txt; chmod +x b.txt`);
    const { body } = await changes(session);
    expect(JSON.stringify(body)).not.toContain("TOP SECRET");
    expect(body.files).toMatchObject([
      { path: "a.txt", change: "changed", kind: "link" },
      { path: "b.txt", change: "changed", kind: "file", diff: expect.stringContaining("new mode 100755") },
      { path: "leak.txt", kind: "link" },
    ]);
    expect(body.notes).toEqual([`A link that leads out of the folder: leak.txt -> ${secret}`]);
  });

  test("leaves out ignored files, repositories inside it and submodules, and names the last two", async () => {
    const library = repository({ "lib.txt": "library" });
    const folder = repository({ ".gitignore": "built/\n", "a.txt": "a\n" });
    git(folder, "-c", "protocol.file.allow=always", "submodule", "add", "-q", library, "lib");
    git(folder, "commit", "-qm", "with a library");
    const session = await working(folder);
    await bench.turn(
      session,
      "shell mkdir -p built nested lib; echo x > built/x; echo y > lib/y; git init -q nested; echo z > nested/z\nwrite a.txt done",
    );
    const { body } = await changes(session);
    expect(body.files.map(({ path }: { path: string }) => path)).toEqual(["a.txt"]);
    expect(body.notes).toEqual([
      "Left out: nested/: a repository of its own",
      "Left out: lib: changes inside a submodule",
    ]);
    expect((await changes(session, "apply")).status).toBe(200);
    expect(git(folder, "submodule", "status")).toMatch(/ lib/);
  });

  test("never runs as the server: hooks, monitors and attributes that it writes stay text", async () => {
    const folder = repository();
    git(folder, "config", "core.hooksPath", ".hooks");
    const session = await working(folder);
    const ran = join(machine, "ran");
    const hook = `mkdir -p .hooks sub; printf '#!/bin/sh\\ntouch ${ran}\\n' > .hooks/post-merge; chmod +x .hooks/post-merge; cp .hooks/post-merge .hooks/post-checkout`;
    const monitor = `git init -q sub; git -C sub config core.fsmonitor 'touch ${ran}'; echo x > sub/x`;
    const pointer = `rm -f .git; git init -q .; git config core.fsmonitor 'touch ${ran}'`;
    await bench.turn(session, `shell ${hook}\nshell ${monitor}\nshell ${pointer}\nwrite a.txt x`);
    expect((await changes(session)).status).toBe(200);
    expect((await changes(session, "apply")).status).toBe(200);
    expect(existsSync(ran)).toBe(false);
    expect(text(folder, "a.txt")).toBe("x");
  });
});

describe("a change is settled by a person who may", () => {
  test("not while a run works on it", async () => {
    const folder = repository();
    const session = await working(folder);
    await bench.turn(session, 'write a.txt x\ncall send {"to":"a@b.c"}'); // waits for an answer
    for (const step of ["apply", "discard"]) {
      expect(await changes(session, step)).toMatchObject({ status: 409, body: { code: "folder_busy" } });
    }
    await bench.answer(session, { decision: "approve" });
    expect((await changes(session, "apply")).status).toBe(200);
  });

  test("applied by admins, read and discarded by the session's owner, invisible to others", async () => {
    const folder = repository();
    const key = async (right: string, email: string) => {
      const made = await call("POST", "/v1/keys", { name: email, rights: [right], owner: email });
      return { authorization: `Bearer ${made.body.key}` };
    };
    const [rob, eve, ann] = await Promise.all([
      key("run", "rob@example.com"),
      key("run", "eve@example.com"),
      key("author", "ann@example.com"),
    ]);
    const agent = {
      name: "F",
      harness: "scripted",
      allow_native_tools: true,
      folder,
      capabilities: ["bench"],
    };
    expect((await call("POST", "/v1/agents", agent, ann)).body).toMatchObject({
      code: "forbidden",
      message: expect.stringContaining(folder),
    });
    const { body } = await call("POST", "/v1/agents", agent);
    const session = (await call("POST", "/v1/sessions", { agent_id: body.id }, rob)).body.id;
    await bench.turn(session, "write a.txt rob's");
    expect((await changes(session, "", undefined, rob)).body).toMatchObject({ status: "open" });
    expect((await changes(session, "apply", {}, rob)).status).toBe(403);
    for (const step of ["", "discard"])
      expect((await changes(session, step, undefined, eve)).status).toBe(404);
    expect((await changes(session, "discard", {}, rob)).body).toMatchObject({
      status: "discarded",
      settled_by: "rob@example.com",
    });
  });

  test("and removed with its session", async () => {
    const folder = repository();
    const session = await working(folder);
    await bench.turn(session, "write a.txt x");
    await call("DELETE", `/v1/sessions/${session}`);
    await expect.poll(() => branches(folder), { timeout: 20_000 }).toEqual(["main"]);
    expect(git(folder, "worktree", "list").split("\n")).toHaveLength(1);
  });
});

test("branches of a comparison each work on a copy of what the session has changed so far", async () => {
  const folder = repository();
  const session = await working(folder);
  await bench.turn(session, "write shared.txt before");
  const started = await call("POST", `/v1/sessions/${session}/comparisons`, {
    content: "shell cat shared.txt >> a.txt\nshell pwd >> b.txt",
    in: ["scripted", "second"],
  });
  const read = async () => (await call("GET", `/v1/sessions/${session}/comparisons/${started.body.id}`)).body;
  await expect
    .poll(async () => (await read()).branches.map(({ status }: { status: string }) => status), {
      timeout: 20_000,
    })
    .toEqual(["done", "done"]);
  for (const { changes: own } of (await read()).branches) {
    expect(own).toMatchObject([
      { path: "a.txt", diff: expect.stringContaining("+before") },
      { path: "b.txt", change: "changed" },
    ]);
  }
  const [kept] = (await read()).branches;
  await call("POST", `/v1/sessions/${session}/comparisons/${started.body.id}/keep`, {
    session_id: kept.session_id,
  });
  expect((await changes(kept.session_id, "apply")).body).toMatchObject({ status: "applied" });
  expect(text(folder, "shared.txt")).toBe("before");
});

test("continuing in the native loop is said to leave the folder behind", async () => {
  const session = await working(repository());
  const { body } = await call("GET", `/v1/sessions/${session}/compatibility?in=native`);
  expect(body.left_behind).toContainEqual({
    what: "folder",
    detail: expect.stringContaining("stays as it is"),
  });
  const other = await call("GET", `/v1/sessions/${session}/compatibility?in=second`);
  expect(other.body.comes_along).toContainEqual({ what: "folder", detail: expect.any(String) });
});

describe("on the command line", () => {
  const typed = (...words: string[]) => typeCommand(bench.server.url, ["sessions", ...words]);

  test("a change is shown, applied and discarded, as text and as JSON", async () => {
    const folder = repository();
    const session = await working(folder);
    await bench.turn(session, "write a.txt by command");
    const shown = await typed("changes", session);
    expect(shown.out).toMatch(/open[\s\S]*a\.txt[\s\S]*\+by command[\s\S]*capstan sessions apply/);
    expect(JSON.parse((await typed("changes", session, "--json")).out)).toMatchObject({ status: "open" });
    const applied = await typed("apply", session, "--message", "By command", "--yes", "--json");
    expect(JSON.parse(applied.out)).toMatchObject({ status: "applied", commit: expect.any(String) });
    expect(git(folder, "log", "-1", "--format=%s")).toBe("By command");
    await bench.turn(session, "write a.txt again");
    expect((await typed("discard", session, "--yes")).out).toMatch(/discarded/);
    expect(text(folder, "a.txt")).toBe("by command");
  });
});
