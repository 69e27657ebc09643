/** Migrations are append-only and additive: a store of any version since the first kept one opens with each later version. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { knownMigrations } from "./migrate.ts";
import { isOlder } from "./store-version.ts";

const MIGRATIONS = fileURLToPath(new URL("../../drizzle/", import.meta.url));
const STORES = fileURLToPath(new URL("fixtures/stores/", import.meta.url));
const files = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql"));

describe("migrations", () => {
  test.each(readdirSync(STORES))(
    "continue from the kept store %s: none of its migrations was changed",
    (store) => {
      const dump = readFileSync(STORES + store, "utf8");
      const had = [...dump.matchAll(/__drizzle_migrations VALUES \(\d+, '(\w+)'/g)].map(([, hash]) => hash);
      expect(had.length).toBeGreaterThan(0);
      expect(knownMigrations().slice(0, had.length)).toEqual(had);
    },
  );

  /** What an older program on the same store would miss, or fail on. */
  const TAKES_AWAY =
    /\bDROP (TABLE|COLUMN|CONSTRAINT|SCHEMA|VIEW|TYPE)\b|\bRENAME\b|\bSET DATA TYPE\b|\bSET NOT NULL\b|\bADD COLUMN\b(?![^;]*\bDEFAULT\b)[^;]*\bNOT NULL\b/i;

  test.each(files.slice(1))("%s only adds, or names the oldest program that can use the store", (file) => {
    const sql = readFileSync(MIGRATIONS + file, "utf8");
    if (TAKES_AWAY.test(sql)) expect(sql).toMatch(/store_needs/);
  });

  test.each([
    ['ALTER TABLE "runs" DROP COLUMN "owner";', true],
    ['ALTER TABLE "runs" RENAME COLUMN "a" TO "b";', true],
    ['ALTER TABLE "runs" ADD COLUMN "a" text NOT NULL;', true],
    ['ALTER TABLE "runs" ADD COLUMN "a" text DEFAULT \'\' NOT NULL;', false],
    ['ALTER TABLE "runs" ADD COLUMN "a" text;', false],
    ['CREATE TABLE "a" ("id" text PRIMARY KEY NOT NULL);', false],
  ])("%s removes something: %s", (sql, expected) => {
    expect(TAKES_AWAY.test(sql)).toBe(expected);
  });

  test("are identified by the hash of their text", () => {
    const [first = ""] = files;
    const text = readFileSync(MIGRATIONS + first, "utf8");
    expect(knownMigrations()[0]).toBe(createHash("sha256").update(text).digest("hex"));
  });
});

test.each([
  ["0.1.0", "0.2.0", true],
  ["0.9.1", "0.10.0", true],
  ["0.2.0", "0.2.0", false],
  ["1.0.0", "0.9.9", false],
])("%s is older than %s: %s", (version, than, expected) => {
  expect(isOlder(version, than)).toBe(expected);
});
