import { describe, expect, test } from "vitest";
import { tryTool } from "./fixtures/try-tool.ts";
import { testMath } from "./test-math.ts";

describe("test_math", () => {
  test.each([
    ["add", 2, 3, 5],
    ["subtract", 2, 3, -1],
    ["multiply", 2.5, 4, 10],
    ["divide", 7, 2, 3.5],
    ["divide", 0, 5, 0],
  ])("%s(%d, %d) is %d", async (tool, a, b, result) => {
    expect(await tryTool(testMath, tool, { a, b })).toEqual({ value: { result } });
  });

  test("division by zero and overflow are refused with a message", async () => {
    const byZero = await tryTool(testMath, "divide", { a: 1, b: 0 });
    const tooLarge = await tryTool(testMath, "multiply", { a: 1e308, b: 10 });
    expect(byZero.failure?.message).toBe("The calculation has no result: division by zero.");
    expect(tooLarge.failure?.code).toBe("calculation_failed");
  });

  test.each([{ a: "1", b: 2 }, { a: 1 }, { a: Number.POSITIVE_INFINITY, b: 1 }])(
    "refuses %j",
    async (input) => {
      expect((await tryTool(testMath, "add", input)).failure?.code).toBe("tool_input_invalid");
    },
  );
});
