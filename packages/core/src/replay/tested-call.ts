/** Compares a recorded call with the same call made by the currently registered code. */
import type { Failure } from "../failures/failure.ts";
import type { ToolOutput } from "../messages.ts";
import { orderedJson } from "../ordered-json.ts";
import type { JsonValue } from "../schema.ts";
import type { AnyTool } from "../tool.ts";

/** `checked`: not called, its arguments and its result still fit the schemas. `not_tested`: nothing can be said of it. */
export const TEST_VERDICTS = [
  "same",
  "checked",
  "not_tested",
  "tool_gone",
  "input_refused",
  "output_unfit",
  "other_output",
  "other_failure",
] as const;
export type TestVerdict = (typeof TEST_VERDICTS)[number];

const HARMLESS: ReadonlySet<TestVerdict> = new Set(["same", "checked", "not_tested"]);
export const isBreaking = (verdict: TestVerdict): boolean => !HARMLESS.has(verdict);

export interface TestedResult {
  readonly verdict: TestVerdict;
  readonly why: string;
}

/** The schemas' verdict; undefined when they accept the arguments and the result. */
export function unfitIn(tool: AnyTool, input: JsonValue, output: ToolOutput): TestedResult | undefined {
  const asked = tool.input.parse(input);
  if (!asked.ok) return { verdict: "input_refused", why: asked.where };
  if (output.type === "error-json" || isCut(output.value)) return undefined;
  const answered = tool.output?.parse(output.value);
  return answered && !answered.ok ? { verdict: "output_unfit", why: answered.where } : undefined;
}

/** A result that was too long was truncated when recorded, so it may not have its original shape. */
const isCut = (value: JsonValue): boolean =>
  JSON.stringify(value).search(/\[cut: \d+ more characters\]/) >= 0;

export function comparedOutput(recorded: ToolOutput, now: JsonValue): TestedResult {
  if (recorded.type === "error-json")
    return { verdict: "other_failure", why: `It failed with ${codeIn(recorded)}; now it does not fail.` };
  return orderedJson(recorded.value) === orderedJson(now)
    ? { verdict: "same", why: "The same output." }
    : { verdict: "other_output", why: "The output is another." };
}

/** The same failure has the same code; its text may contain a time or an address. */
export function comparedFailure(recorded: ToolOutput, { code, message }: Failure): TestedResult {
  const before = recorded.type === "error-json" ? codeIn(recorded) : undefined;
  if (before === code) return { verdict: "same", why: `The same failure: ${code}.` };
  if (code === "tool_output_invalid") return { verdict: "output_unfit", why: message };
  const was = before === undefined ? "It did not fail" : `It failed with ${before}`;
  return { verdict: "other_failure", why: `${was}; now it fails with ${code}: ${message}` };
}

function codeIn({ value }: ToolOutput): string {
  const { code } = Object(value) as { code?: unknown };
  return typeof code === "string" ? code : "another failure";
}
