/** `output_schema`: the model gets the schema, its answer is checked, and it may correct a wrong answer once. */

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { fail, type JsonSchema, type JsonValue, ok, type Result } from "@capstan/core";
import type { ConversationMessage, UserPart } from "@capstan/core/internal";
import type { ResolvedModel } from "../../providers/models.ts";
import { foreignSchema } from "../../sources/json-schema.ts";

const REPAIR = "repair";

export function checkSchema(schema: JsonSchema): Result<true> {
  const made = foreignSchema(schema, { compileNow: true });
  return made.ok ? ok(true) : fail("output_schema_invalid", { where: made.failure.message });
}

/** Part of the message, so that the start of the prompt stays the same. */
export const schemaPart = (schema: JsonSchema): UserPart => ({
  type: "text",
  origin: "schema",
  text: `\n\nEnd with an answer that is one JSON value and nothing else, valid against this JSON Schema:\n${JSON.stringify(schema)}`,
});

/** Providers that can enforce a schema are asked to; not all of them can with tools. */
export function responseFormat(
  schema: JsonSchema | undefined,
  model: ResolvedModel,
  hasTools: boolean,
): Pick<LanguageModelV4CallOptions, "responseFormat"> {
  if (schema === undefined || (hasTools && !model.jsonWithTools)) return {};
  type Format = Extract<NonNullable<LanguageModelV4CallOptions["responseFormat"]>, { type: "json" }>;
  return { responseFormat: { type: "json", schema: schema as NonNullable<Format["schema"]> } };
}

export function checkedOutput(
  text: string,
  schema: JsonSchema,
): { ok: true; value: JsonValue } | { ok: false; where: string } {
  const made = foreignSchema(schema);
  if (!made.ok) return { ok: false, where: made.failure.message };
  const value = jsonIn(text);
  return value === undefined ? { ok: false, where: "the answer is not JSON" } : made.value.parse(value);
}

export const wasRepaired = (messages: readonly ConversationMessage[]): boolean => {
  const asked = messages.findLast(({ role }) => role === "user");
  return (
    asked?.role === "user" && asked.content.some((part) => part.type === "text" && part.origin === REPAIR)
  );
};

export const repairMessage = (id: string, where: string): ConversationMessage => ({
  id,
  role: "user",
  content: [
    {
      type: "text",
      origin: REPAIR,
      text: `Your answer does not match the JSON Schema: ${where}\nAnswer again with only the corrected JSON value.`,
    },
  ],
});

const FENCED = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/;

/** Models often wrap JSON in a code fence or a sentence. */
function jsonIn(text: string): JsonValue | undefined {
  const fenced = FENCED.exec(text)?.[1];
  const braces = text.slice(text.search(/[[{]/), Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1);
  for (const candidate of [text, fenced, braces]) {
    try {
      if (candidate !== undefined) return JSON.parse(candidate);
    } catch {}
  }
  return undefined;
}
