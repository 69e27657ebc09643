import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { probeCommandIsolation, uidFor } from "./command-isolation.ts";
import { confine } from "./confine.ts";
import { copiedRuntime, firstUnreadable, withoutClosedAbove } from "./reachable-runtime.ts";

const UID = uidFor("user@example.com");
let folder: string;
let program: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "capstan-runtime-"));
  program = join(folder, "node");
  writeFileSync(program, "#!/bin/sh\necho hello\n", { mode: 0o700 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a runtime that others cannot run is copied once, open to them, and stays closed itself", async () => {
  const place = join(folder, "runtimes");
  const copies = await Promise.all([copiedRuntime(program, place), copiedRuntime(program, place)]);
  const copy = copies[0]?.get(program) ?? "";
  expect(copies[1]?.get(program)).toBe(copy);
  expect(readFileSync(copy, "utf8")).toContain("echo hello");
  expect(statSync(copy).mode & 0o777).toBe(0o755);
  expect(statSync(program).mode & 0o777).toBe(0o700);
  expect(readdirSync(place)).toHaveLength(1);
});

test("a runtime that others can run is used where it is", async () => {
  expect((await copiedRuntime("/bin/sh", join(folder, "runtimes"))).size).toBe(0);
  expect(readdirSync(folder)).toEqual(["node"]);
});

test("a closed folder around a copy is left out, so that it does not hide the copy; an open one stays", async () => {
  const inner = join(folder, "inner");
  mkdirSync(inner);
  chmodSync(inner, 0o755);
  const paths = [folder, inner, program];
  expect(await withoutClosedAbove(paths, [join(inner, "node")])).toEqual([inner, program]);
  expect(await withoutClosedAbove(paths, [])).toEqual(paths);
});

test("a script in a folder closed to others is named before anything runs", async () => {
  const project = join(folder, "project");
  mkdirSync(join(project, "inner"), { recursive: true });
  const script = join(project, "inner", "server.js");
  writeFileSync(script, "");
  for (const [path, mode] of [
    [project, 0o755],
    [join(project, "inner"), 0o755],
    [script, 0o644],
  ] as const)
    chmodSync(path, mode);
  const reach = { uid: UID, readable: [project] };
  expect(await firstUnreadable(["node", script], reach)).toBeUndefined();
  rmSync(join(project, "inner"), { recursive: true });
  mkdirSync(join(project, "inner"), { mode: 0o700 });
  writeFileSync(script, "", { mode: 0o644 });
  expect(await firstUnreadable(["node", script], reach)).toBe(script);
});

test.skipIf(process.getuid?.() !== 0)(
  "a command that another user cannot read is refused by its path",
  async () => {
    const isolation = await probeCommandIsolation();
    writeFileSync(join(folder, "closed"), "#!/bin/sh\n", { mode: 0o700 });
    const argv = [join(folder, "closed")];
    const request = {
      argv,
      cwd: "/",
      env: {},
      network: "none" as const,
      uid: UID,
      readable: argv,
      writable: [],
    };
    const line = await confine(request, isolation);
    expect(line).toMatchObject({
      ok: false,
      failure: { code: "package_unreachable", message: expect.stringContaining(argv[0] ?? "closed") },
    });
  },
);
