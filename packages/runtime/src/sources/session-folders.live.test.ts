/** Attacks by a process with the same user id on a session's folder, between two calls and during one. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryFileStore, type SessionFileStore } from "@capstan/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readPlainFile } from "../files/plain-file.ts";
import { SessionFolders } from "./session-folders.ts";
import { prepareUserHome } from "./user-home.ts";

const isRoot = process.getuid?.() === 0;
let root: string;
let victim: string;
let files: SessionFileStore;
let folders: SessionFolders;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "capstan-folders-"));
  victim = join(root, "victim");
  mkdirSync(victim);
  writeFileSync(join(victim, "a.txt"), "the server's own");
  files = memoryFileStore();
  await files.write("/docs/a.txt", Buffer.from("first"));
  folders = new SessionFolders(join(root, "work"), Date.now);
});
afterEach(async () => {
  await folders.close();
  rmSync(root, { recursive: true, force: true });
});

test("a link in place of a folder would let a session write to the server's files", async () => {
  const place = await use((folder) => folder);
  rmSync(join(place, "docs"), { recursive: true });
  symlinkSync(victim, join(place, "docs"));
  await files.write("/docs/a.txt", Buffer.from("second"));
  expect(await use((folder) => readFileSync(join(folder, "docs/a.txt"), "utf8"))).toBe("second");
  expect(readFileSync(join(victim, "a.txt"), "utf8")).toBe("the server's own");
});

test("a link in place of a folder would let a session delete the server's files", async () => {
  const place = await use((folder) => folder);
  rmSync(join(place, "docs"), { recursive: true });
  symlinkSync(victim, join(place, "docs"));
  await files.delete("/docs/a.txt");
  await use(() => undefined);
  expect(existsSync(join(victim, "a.txt"))).toBe(true);
});

test("a link in place of a file would bring the server's files into the session", async () => {
  await use((folder) => {
    unlinkSync(join(folder, "docs/a.txt"));
    symlinkSync(join(victim, "a.txt"), join(folder, "docs/a.txt"));
    symlinkSync(victim, join(folder, "all"));
  });
  const read = await Promise.all(["/docs/a.txt", "/all", "/all/a.txt"].map((path) => files.read(path)));
  expect(read.map(({ ok }) => ok)).toEqual([false, false, false]);
});

test("a pipe in place of a file would block every later call", async () => {
  await use((folder) => {
    execFileSync("mkfifo", [join(folder, "pipe"), join(folder, "docs/pipe")]);
    unlinkSync(join(folder, "docs/a.txt"));
    execFileSync("mkfifo", [join(folder, "docs/a.txt")]);
  });
  expect(await use(() => "went on")).toBe("went on");
});

test.each(["pipe", "link", "folder", "device"])(
  "a %s is not a regular file, and reading does not block",
  async (kind) => {
    const path = kind === "device" ? "/dev/zero" : join(root, kind);
    if (kind === "pipe") execFileSync("mkfifo", [path]);
    if (kind === "link") symlinkSync(join(victim, "a.txt"), path);
    if (kind === "folder") mkdirSync(path);
    expect(await readPlainFile(path, 1000)).toBe("refused");
  },
);

test.runIf(isRoot)(
  "a home that the server created is given to its user, or the next command could not enter it",
  async () => {
    const ask = { email: "user@example.com", capability: "box" };
    await prepareUserHome(root, ask);
    writeFileSync(join(root, "users/user@example.com/capabilities/box/state"), "made as root");
    await prepareUserHome(root, { ...ask, uid: 12_345 });
    const read = ["--reuid=12345", "--regid=12345", "--clear-groups", "cat", "capabilities/box/state"];
    const cwd = join(root, "users/user@example.com");
    execFileSync("chmod", ["755", root]);
    expect(execFileSync("setpriv", read, { cwd, encoding: "utf8" })).toBe("made as root");
  },
);

async function use<T>(work: (folder: string) => T): Promise<T> {
  const used = await folders.use(
    { sessionId: "s", files, owner: undefined, isWhole: () => true },
    async (folder) => work(folder),
  );
  if (!used.ok) throw new Error(used.failure.message);
  return used.value.value;
}
