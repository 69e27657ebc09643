import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { ManagerPulse } from "./manager-pulse.ts";

let root: string;
let first: ManagerPulse;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "capstan-pulse-"));
  first = new ManagerPulse(root);
  await first.start();
  return () => rmSync(root, { recursive: true, force: true });
});

const GHOST = "0b8f2c3e-6a1d-4c5b-9e7f-1234567890ab";
const ghost = (facts: object) => {
  writeFileSync(join(root, `${GHOST}.json`), JSON.stringify({ pid: 1, host: hostname(), ...facts }));
  return join(root, `${GHOST}.json`);
};

describe("a manager", () => {
  test("that starts while another checks for dead ones is not one of them, and is not removed", async () => {
    const lives = first.whoLives();
    const second = new ManagerPulse(root);
    await second.start();
    expect(await lives(second.owner)).toBe(true);
    await first.removeDead(lives);
    expect(readdirSync(root).sort()).toEqual([`${first.owner}.json`, `${second.owner}.json`].sort());
  });

  test.each([
    ["has no file", () => undefined],
    ["has no process on this machine", () => ghost({ pid: spawnSync("true").pid })],
    ["has not touched its file for long", () => utimesSync(ghost({ host: "elsewhere" }), 1, 1)],
    ["has a file that cannot be read", () => writeFileSync(join(root, `${GHOST}.json`), "{")],
  ])("that %s is dead, and is removed", async (_, make) => {
    make();
    const lives = first.whoLives();
    expect([await lives(GHOST), await lives(first.owner)]).toEqual([false, true]);
    await first.removeDead(lives);
    expect(readdirSync(root)).toEqual([`${first.owner}.json`]);
  });

  test("of another machine is alive as long as it touches its file", async () => {
    ghost({ host: "elsewhere", pid: 999_999_999 });
    expect(await first.whoLives()(GHOST)).toBe(true);
  });

  test("that was considered dead takes a new name", async () => {
    const before = first.owner;
    rmSync(join(root, `${before}.json`));
    await first.beat();
    expect(first.owner).not.toBe(before);
    expect(await first.whoLives()(first.owner)).toBe(true);
  });
});
