/** The answer of a run that must be JSON: parsed, and validated by the schema if there is one. */
import { fail, ok, type Result } from "@capstan/core";
import { readInput } from "@capstan/core/internal";
import { z } from "zod";

export interface AnswerWanted {
  readonly agent: string;
  readonly schema: Readonly<Record<string, unknown>> | undefined;
}

export function checkedAnswer(text: string, { agent, schema }: AnswerWanted): Result<unknown> {
  const parsed = parseAnswer(text);
  if (parsed === undefined) {
    return fail("coding_agent_output_invalid", { agent, why: "it is not one JSON document" });
  }
  if (schema === undefined) return ok(parsed.json);
  const checked = readInput(z.fromJSONSchema({ ...schema }), parsed.json);
  return checked.ok ? ok(parsed.json) : fail("coding_agent_output_invalid", { agent, why: checked.where });
}

/** Models often put JSON into a code fence. */
function parseAnswer(text: string): { readonly json: unknown } | undefined {
  const fenced = /```(?:json)?\s*([\s\S]*?)```/.exec(text)?.[1];
  for (const candidate of [text, fenced ?? ""]) {
    try {
      return { json: JSON.parse(candidate) };
    } catch {
      // The next candidate, or none.
    }
  }
  return undefined;
}
