/** test_math: four calculator tools, to test tool calling with answers that are easy to check. */
import { defineCapability, defineTool, fail, ok, type Result } from "@capstan/core";
import { z } from "zod";
import { CAPABILITY_IDS } from "../capability-ids.ts";

function calculator(
  name: string,
  description: string,
  [first, second]: readonly [string, string],
  calculate: (a: number, b: number) => Result<number>,
) {
  return defineTool({
    name,
    risk: "read",
    description,
    input: z.object({ a: z.number().describe(first), b: z.number().describe(second) }),
    output: z.object({ result: z.number() }),
    idempotent: true,
    pure: true,
    run({ a, b }) {
      const result = calculate(a, b);
      if (!result.ok) return result;
      // JSON has no infinity: it would reach the model as null.
      return Number.isFinite(result.value)
        ? ok({ result: result.value })
        : fail("calculation_failed", { why: "the number is too large" });
    },
  });
}

export const testMath = defineCapability({
  id: CAPABILITY_IDS.TEST_MATH,
  name: "Test Math",
  description: "Testing tool calling with calculator operations.",
  icon: "calculator",
  category: "Testing",
  systemPrompt: "You have access to math tools. Use them for calculations: add, subtract, multiply, divide.",
  tools: [
    calculator("add", "Add two numbers", ["The first number.", "The second number."], (a, b) => ok(a + b)),
    calculator(
      "subtract",
      "Subtract second number from first",
      ["The number to subtract from.", "The number to subtract."],
      (a, b) => ok(a - b),
    ),
    calculator("multiply", "Multiply two numbers", ["The first number.", "The second number."], (a, b) =>
      ok(a * b),
    ),
    calculator(
      "divide",
      "Divide first number by second",
      ["The number to divide.", "The number to divide by; not zero."],
      (a, b) => (b === 0 ? fail("calculation_failed", { why: "division by zero" }) : ok(a / b)),
    ),
  ],
  routing: {
    triggers: [
      "add two numbers",
      "add 2 and 3",
      "subtract numbers",
      "multiply numbers",
      "divide numbers",
      "calculate a sum",
      "what is 2 plus 2",
      "do the math",
      "how much is 12 times 9",
    ],
    tags: ["math", "calculator", "arithmetic", "sum", "numbers", "plus", "minus", "times"],
    domain: "math",
    actions: ["add", "subtract", "multiply", "divide", "calculate"],
  },
});
