import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { builtServer } from "./built-server.ts";

const SOURCE = "packages/server/src/main.ts";
const BEFORE = new Date("2026-01-01T10:00:00Z");
const BUILT = new Date("2026-01-01T11:00:00Z");
const AFTER = new Date("2026-01-01T12:00:00Z");

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

function write(path: string, text: string, at: Date): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  utimesSync(path, at, at);
}

function checkout(): { root: string; folder: (name: string) => string } {
  const root = mkdtempSync(join(tmpdir(), "capstan-built-"));
  roots.push(root);
  const folder = (name: string) => join(root, "packages/server/.built", name);
  write(join(root, SOURCE), "", BEFORE);
  write(join(root, "package-lock.json"), "{}", BEFORE);
  write(join(folder("9"), "sources.json"), JSON.stringify(["package-lock.json", SOURCE]), BUILT);
  return { root, folder };
}

describe("npm start", () => {
  it("runs the bundle while nothing it was made of has changed", () => {
    const { root, folder } = checkout();
    expect(builtServer(root)).toBe(join(folder("9"), "dist/main.js"));
  });

  it.each([
    ["a source is newer", (root: string) => utimesSync(join(root, SOURCE), AFTER, AFTER)],
    ["a source is gone", (root: string) => rmSync(join(root, SOURCE))],
    [
      "other dependencies are locked",
      (root: string) => utimesSync(join(root, "package-lock.json"), AFTER, AFTER),
    ],
    [
      "there is no bundle",
      (root: string) => rmSync(join(root, "packages/server/.built"), { recursive: true }),
    ],
  ])("runs the sources when %s", (_, change) => {
    const { root } = checkout();
    change(root);
    expect(builtServer(root)).toBeUndefined();
  });

  it("runs the newest bundle that is finished", () => {
    const { root, folder } = checkout();
    write(join(folder("10"), "sources.json"), JSON.stringify([SOURCE]), BUILT);
    mkdirSync(join(folder("11"), "dist"), { recursive: true });
    expect(builtServer(root)).toBe(join(folder("10"), "dist/main.js"));
  });
});
