import { expect, test } from "vitest";
import { z } from "zod";
import { defineCapability } from "../capability.ts";
import { ok } from "../result.ts";
import { defineTool } from "../tool.ts";
import { planParts } from "./plan.ts";

const input = z.object({ a: z.number(), b: z.number() });
const tool = (name: string) =>
  defineTool({ name, description: `${name} b from a`, input, run: () => ok({}) });
const math = defineCapability({
  id: "math",
  name: "Math",
  description: "Calculate.",
  tools: [tool("subtract")],
});

test.each([
  ["subtract 8", { b: 8 }, "a"],
  ["subtract 8 from it", { b: 8 }, "a"],
  ["subtract it from 500", { a: 500 }, "b"],
  ["divide 100 by it", { a: 100 }, "b"],
])("of two numbers the first is the previous result: %s", (text, payload, input) => {
  const ranked = { matches: [{ id: "math", score: 1, reasons: [] }], confidence: 1 };
  const parts = [
    { text: "subtract 2 from 9", ranked },
    { text, ranked },
  ];
  const [, second] = planParts(parts, { capabilityOf: () => math });
  expect(second?.payload).toEqual(payload);
  expect(second?.takes).toEqual([{ input, fromStep: 1 }]);
});
