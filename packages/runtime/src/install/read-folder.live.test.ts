/** A folder that is read while somebody else changes it, as a linked one is every second. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readFolder } from "./read-folder.ts";

const LOOKS = 1_500;
/** Swaps `file` for a link to the secret and back, as fast as it can. */
const SWAPPER = `
  const { renameSync, symlinkSync, writeFileSync } = require("node:fs");
  const { workerData: { file, secret } } = require("node:worker_threads");
  for (;;) {
    symlinkSync(secret, secret + ".link"); renameSync(secret + ".link", file);
    writeFileSync(secret + ".plain", "mine"); renameSync(secret + ".plain", file);
  }`;

let folder: string;
let outside: string;
let swapper: Worker;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-read-folder-"));
  outside = await mkdtemp(join(tmpdir(), "capstan-read-folder-outside-"));
  await writeFile(join(outside, "secret"), "the server's secret");
  await writeFile(join(folder, "main.js"), "mine");
  const workerData = { file: join(folder, "main.js"), secret: join(outside, "secret") };
  swapper = new Worker(SWAPPER, { eval: true, workerData });
});
afterAll(async () => {
  await swapper.terminate();
  for (const each of [folder, outside]) await rm(each, { recursive: true, force: true });
});

test("a file that is swapped for a link while it is read would bring the server's files into a package", async () => {
  const seen = new Set<string>();
  for (let look = 0; look < LOOKS; look++) {
    const read = await readFolder(folder);
    if (read.ok) for (const { bytes } of read.value) seen.add(Buffer.from(bytes).toString());
  }
  expect([...seen]).not.toContain("the server's secret");
});
