/** Run with: npm test */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const command = (...args: string[]) => spawnSync(process.execPath, [main, ...args], { encoding: "utf8" });
const folder = mkdtempSync(join(tmpdir(), "TEMPLATE_PACKAGE-"));
after(() => rmSync(folder, { recursive: true }));

test("--help prints the manifest", () => {
  assert.equal(JSON.parse(command("--help").stdout).name, "TEMPLATE_NAME");
});

test("--json prints JSON", () => {
  writeFileSync(join(folder, "a.txt"), "one two\nthree\n");
  assert.equal(JSON.parse(command("stats", join(folder, "a.txt"), "--json").stdout).words, 3);
});

test("a failure goes to stderr with a code", () => {
  const done = command("stats", join(folder, "missing.txt"), "--json");
  assert.deepEqual([done.status, done.stdout], [1, ""]);
  assert.match(done.stderr, /error:/);
});

test("wrong arguments end with 2", () => {
  assert.equal(command("nonsense").status, 2);
});

test("the same call twice leaves the same file", () => {
  const path = join(folder, "deep", "b.txt");
  for (const _ of [1, 2]) assert.equal(command("save", path, "hello", "--json").status, 0);
  assert.equal(readFileSync(path, "utf8"), "hello");
  assert.deepEqual(readdirSync(join(folder, "deep")), ["b.txt"]);
});
