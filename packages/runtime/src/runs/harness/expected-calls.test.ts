import { describe, expect, test, vi } from "vitest";
import { ExpectedCalls } from "./expected-calls.ts";

const call = (id: string, tool: string, input: object = {}) => ({ id, tool, input: { ...input } });

describe("a call that arrives", () => {
  test("is matched with its announcement by id, arguments, or name", async () => {
    const calls = new ExpectedCalls();
    for (const [id, n] of [
      ["a", 1],
      ["b", 2],
      ["c", 3],
    ] as const)
      calls.add(call(id, "add", { n }));
    expect((await calls.match("add", { n: 9 }, "b")).id).toBe("b");
    expect((await calls.match("add", { n: 3 })).id).toBe("c");
    expect((await calls.match("add", { n: 7 })).id).toBe("a"); // announced before its arguments were known
  });

  test("waits for its announcement, so that earlier text is shown first", async () => {
    const calls = new ExpectedCalls();
    const arriving = calls.match("add", { n: 1 });
    calls.add(call("late", "add", { n: 1 }));
    expect((await arriving).id).toBe("late");
  });

  test("without an announcement continues by itself, and a late announcement is ignored", async () => {
    vi.useFakeTimers();
    try {
      const calls = new ExpectedCalls(1000);
      const arriving = calls.match("add", { a: 1, b: 2 });
      await vi.advanceTimersByTimeAsync(1000);
      const { id } = await arriving;
      calls.add(call("late", "add", { b: 2, a: 1 }));
      expect(calls.drop("late")).toBeUndefined();
      expect(id).not.toBe("late");
    } finally {
      vi.useRealTimers();
    }
  });
});

test("a call that ended without having arrived is reported once", () => {
  const calls = new ExpectedCalls();
  calls.add(call("a", "add"));
  expect(calls.drop("a")).toMatchObject({ tool: "add" });
  expect(calls.drop("a")).toBeUndefined();
});
