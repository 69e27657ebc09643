/** One answer of the default model; as JSON when a schema is given. */
import { fail, type JsonSchema, type JsonValue, ok, type Result } from "@capstan/core";
import type { Models } from "./models.ts";

export interface GenerateRequest {
  readonly system: string;
  readonly prompt: string;
  readonly schema?: JsonSchema | undefined;
  readonly signal: AbortSignal;
}

type Answer = Result<{ readonly text: string; readonly object?: JsonValue; readonly model: string }>;

export async function generate(
  models: Pick<Models, "resolve">,
  { system, prompt, schema, signal }: GenerateRequest,
): Promise<Answer> {
  const resolved = await models.resolve(undefined);
  if (!resolved.ok) return resolved;
  const { stream } = await resolved.value.model.doStream({
    prompt: [
      {
        role: "system",
        content: schema
          ? `${system}\nAnswer with JSON that matches this schema, and nothing else: ${JSON.stringify(schema)}`
          : system,
      },
      { role: "user", content: [{ type: "text", text: prompt }] },
    ],
    abortSignal: signal,
    ...(schema && { responseFormat: { type: "json", schema: schema as never } }),
  });
  let text = "";
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    if (value.type === "text-delta") text += value.delta;
    if (value.type === "error")
      return fail("tool_failed", { message: `The model failed: ${String(value.error)}` });
  }
  return schema ? parsed(text, resolved.value.label) : ok({ text, model: resolved.value.label });
}

function parsed(text: string, model: string): Answer {
  try {
    return ok({ text, object: JSON.parse(text.replace(/^```(?:json)?|```$/g, "")), model });
  } catch {
    return fail("tool_failed", {
      message: "The model did not answer with JSON.",
      nextStep: "Try again, or use another model.",
    });
  }
}
