import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { openPglite } from "./open-pglite.ts";
import { packedStoreVersion, prepareStore } from "./prepared-store.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe("the packed store", () => {
  test("was created by the installed PGlite (if not: node tools/pack-embedded-store.ts)", async () => {
    const entry = createRequire(import.meta.url).resolve("@electric-sql/pglite");
    const { version } = createRequire(import.meta.url)(join(dirname(entry), "../package.json"));
    expect(await packedStoreVersion()).toBe(version);
  });

  test("opens as a store without tables, readable only by its owner", async () => {
    const folder = emptyFolder();
    const store = await openPglite(folder);
    try {
      const { rows } = await store.query(
        "select count(*)::int as n from pg_tables where schemaname = 'public'",
      );
      expect(rows).toEqual([{ n: 0 }]);
      expect(statSync(folder).mode & 0o077).toBe(0);
      expect(statSync(join(folder, "PG_VERSION")).mode & 0o077).toBe(0);
    } finally {
      await store.close();
    }
  });

  test("replaces the remains of an interrupted start, which are never in the store's own folder", async () => {
    const folder = emptyFolder();
    mkdirSync(join(`${folder}.preparing`, "base"), { recursive: true });
    await prepareStore(folder);
    expect(existsSync(`${folder}.preparing`)).toBe(false);
    expect(readdirSync(folder)).toContain("PG_VERSION");
  });

  test("does not touch an existing store, nor a folder with other files", async () => {
    const theirs = emptyFolder();
    writeFileSync(join(theirs, "notes.txt"), "mine");
    await prepareStore(theirs);
    expect(readdirSync(theirs)).toEqual(["notes.txt"]);
    const folder = emptyFolder();
    await prepareStore(folder);
    writeFileSync(join(folder, "mark"), "");
    await prepareStore(folder);
    expect(existsSync(join(folder, "mark"))).toBe(true);
  });
});

function emptyFolder(): string {
  const parent = mkdtempSync(join(tmpdir(), "capstan-store-"));
  folders.push(parent);
  const folder = join(parent, "db");
  mkdirSync(folder);
  return folder;
}
