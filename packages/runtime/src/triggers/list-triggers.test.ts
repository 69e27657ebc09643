import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listTriggers } from "./list-triggers.ts";

let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "capstan-triggers-"));
  for (const [path, user] of [
    ["mail/d1.json", "ann@example.com"],
    ["mail/_done/a1.json", "ann@example.com"],
    ["mail/_failed/b1.json", "ben@example.com"],
    ["calendar/_failed/b2.json", "ann@example.com"],
    ["calendar/_invalid/c1.json", undefined],
  ] as const) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    const trigger = {
      id: "0b8f2c3e-6a1d-4c5b-9e7f-1234567890ab",
      user,
      type: "draft_ready",
      created_at: "2026-01-15T10:30:00Z",
    };
    writeFileSync(join(root, path), user ? JSON.stringify(trigger) : "no JSON");
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const ids = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);

test("what failed and what cannot be read stand first", async () => {
  const page = await listTriggers(root);
  expect([ids(page), page.total, page.next_cursor]).toEqual([["b2", "b1", "c1", "d1", "a1"], 5, undefined]);
});

test("pages follow each other without a gap, also when a trigger of an earlier page has gone", async () => {
  const first = await listTriggers(root, { limit: 2 });
  expect([ids(first), first.total]).toEqual([["b2", "b1"], 5]);
  rmSync(join(root, "calendar/_failed/b2.json"));
  const second = await listTriggers(root, { limit: 2, cursor: first.next_cursor });
  expect(ids(second)).toEqual(["c1", "d1"]);
  const third = await listTriggers(root, { limit: 2, cursor: second.next_cursor });
  expect([ids(third), third.next_cursor]).toEqual([["a1"], undefined]);
});

test("filters by user, capability and state count what they show", async () => {
  const own = await listTriggers(root, { user: "ann@example.com", limit: 1 });
  expect([ids(own), own.total]).toEqual([["d1"], 2]);
  expect(
    ids(await listTriggers(root, { user: "ann@example.com", limit: 1, cursor: own.next_cursor })),
  ).toEqual(["a1"]);
  expect(ids(await listTriggers(root, { capability: "mail", status: "failed" }))).toEqual(["b1"]);
});
