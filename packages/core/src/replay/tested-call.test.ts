import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fail } from "../failures/fail.ts";
import type { ToolOutput } from "../messages.ts";
import { ok } from "../result.ts";
import { defineTool } from "../tool.ts";
import { comparedFailure, comparedOutput, isBreaking, TEST_VERDICTS, unfitIn } from "./tested-call.ts";

const tool = defineTool({
  name: "tide",
  description: "The tide.",
  input: z.object({ harbour: z.string() }),
  output: z.object({ metres: z.number() }),
  run: () => ok({ metres: 1 }),
});
const json = (value: ToolOutput["value"]): ToolOutput => ({ type: "json", value });
const failed = (code: string): ToolOutput => ({
  type: "error-json",
  value: { code, message: "m", nextStep: "n" },
});
const gone = fail("not_found", { what: "harbour", id: "7" }).failure;
const invalid = fail("tool_output_invalid", { tool: "tide", where: "metres" }).failure;

describe("a recorded call beside the code of now", () => {
  test.each<[string, unknown, ToolOutput, string | undefined]>([
    ["accepts what fits", { harbour: "Kiel" }, json({ metres: 2 }), undefined],
    ["refuses other arguments", { port: "Kiel" }, json({ metres: 2 }), "input_refused"],
    ["refuses a result of another shape", { harbour: "Kiel" }, json({ feet: 2 }), "output_unfit"],
    ["says nothing of a failure", { harbour: "Kiel" }, failed("not_found"), undefined],
    [
      "says nothing of a result that was cut",
      { harbour: "Kiel" },
      json('{"me\n[cut: 9 more characters]'),
      undefined,
    ],
  ])("the schema %s", (_what, input, output, verdict) => {
    expect(unfitIn(tool, input as never, output)?.verdict).toBe(verdict);
  });

  test("an output is the same whatever the order of its fields", () => {
    expect(comparedOutput(json({ a: 1, b: 2 }), { b: 2, a: 1 }).verdict).toBe("same");
    expect(comparedOutput(json({ a: 1 }), { a: 2 }).verdict).toBe("other_output");
    expect(comparedOutput(failed("not_found"), { a: 2 }).verdict).toBe("other_failure");
  });

  test("a failure is the same when its code is", () => {
    expect(comparedFailure(failed("not_found"), gone).verdict).toBe("same");
    expect(comparedFailure(failed("tool_timeout"), gone).verdict).toBe("other_failure");
    expect(comparedFailure(json({ metres: 2 }), gone).verdict).toBe("other_failure");
    expect(comparedFailure(json({ metres: 2 }), invalid).verdict).toBe("output_unfit");
  });

  test("whatever is not the same, checked or untested breaks", () => {
    expect(TEST_VERDICTS.filter((verdict) => !isBreaking(verdict))).toEqual([
      "same",
      "checked",
      "not_tested",
    ]);
  });
});
