import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readTrigger } from "./trigger.ts";

/** The seed's example, with its placeholder id filled in. */
const seed = {
  id: "0b8f2c3e-6a1d-4c5b-9e7f-1234567890ab",
  user: "user@example.com",
  type: "event_type",
  created_at: "2025-01-15T10:30:00Z",
  payload: { key: "value" },
  routing: { channel: "teams", target: "chat:<composite_id>" },
};

describe("readTrigger", () => {
  test("reads the seed's trigger unchanged", () => {
    expect(readTrigger(JSON.stringify(seed))).toEqual({ ok: true, value: seed });
  });

  test("keeps the digits of an id that no number keeps, as a text", () => {
    const text = JSON.stringify({ ...seed, payload: { id: 0, ids: [0, 7], small: 7 } })
      .replace('"id":0', '"id":12345678901234567890')
      .replace("[0,", "[-9007199254740993,");
    expect(readTrigger(text)).toMatchObject({
      value: { payload: { id: "12345678901234567890", ids: ["-9007199254740993", 7], small: 7 } },
    });
  });

  test("requires neither payload nor routing", () => {
    const { payload: _, routing: __, ...required } = seed;
    expect(readTrigger(JSON.stringify(required)).ok).toBe(true);
  });

  test.each(["id", "user", "type", "created_at"])("names %s when it is missing", (field) => {
    const { [field]: _, ...rest } = seed as Record<string, unknown>;
    expect(faults(JSON.stringify(rest))).toEqual([field]);
  });

  test.each([
    ["a UUID of another version", { id: "0190a0b0-6a1d-7c5b-9e7f-1234567890ab" }, "id"],
    ["an id that is a path", { id: "../../etc/passwd" }, "id"],
    ["a user that is a path", { user: "../../root@x" }, "user"],
    ["a user with a slash", { user: "a/b@example.com" }, "user"],
    ["a user with two dots", { user: "a@b..c" }, "user"],
    ["a user that is not an address", { user: "root" }, "user"],
    ["a time without a zone", { created_at: "2025-01-15T10:30:00" }, "created_at"],
    ["a date", { created_at: "2025-01-15" }, "created_at"],
    ["a payload that is a list", { payload: [] }, "payload"],
    ["a channel that is not a word", { routing: { channel: "Teams!" } }, "routing.channel"],
    ["an empty dedupe key", { dedupe_key: "" }, "dedupe_key"],
  ])("refuses %s", (_, change, path) => {
    expect(faults(JSON.stringify({ ...seed, ...change }))).toEqual([path]);
  });

  test.each([
    ["half a file", '{"id": "0b8f'],
    ["nothing", ""],
    ["a number", "7"],
    ["too much", `"${"x".repeat(1_100_000)}"`],
  ])("refuses %s", (_, text) => {
    expect(faults(text)).toEqual([""]);
  });

  test("never throws, whatever the file contains", () => {
    fc.assert(fc.property(fc.string(), (text) => typeof readTrigger(text).ok === "boolean"));
    fc.assert(fc.property(fc.json(), (text) => typeof readTrigger(text).ok === "boolean"));
  });
});

function faults(text: string): string[] {
  const result = readTrigger(text);
  if (result.ok) throw new Error("the trigger was accepted");
  return (result.failure.details as { path: string }[]).map(({ path }) => path);
}
