/**
 * A message's parts as a person reads them. Traces and replays tell them as they are stored (`toolCallId`), sessions as the
 * API names them (`tool_call_id`); both are accepted.
 */
import { isObject } from "./schema-fields.ts";

export type ReadablePart =
  | { readonly kind: "text" | "thought"; readonly text: string }
  | { readonly kind: "call"; readonly tool: string; readonly input: unknown }
  | { readonly kind: "result"; readonly tool: string; readonly value: unknown; readonly failed: boolean }
  | { readonly kind: "file"; readonly name: string }
  | { readonly kind: "other"; readonly value: unknown };

type Fields = Readonly<Record<string, unknown>>;

/** Undefined for anything but a list of parts: a text, or a truncated value. */
export function readParts(value: unknown): readonly ReadablePart[] | undefined {
  if (typeof value === "string") return [{ kind: "text", text: value }];
  if (!Array.isArray(value) || !value.every((part) => isObject(part) && typeof part.type === "string"))
    return undefined;
  return value.map((part: Fields) => READERS[String(part.type)]?.(part) ?? { kind: "other", value: part });
}

const READERS: Readonly<Record<string, (part: Fields) => ReadablePart | undefined>> = {
  text: ({ text }) => (typeof text === "string" ? { kind: "text", text } : undefined),
  reasoning: ({ text }) => (typeof text === "string" ? { kind: "thought", text } : undefined),
  "tool-call": (part) => ({ kind: "call", tool: toolOf(part), input: part.input }),
  "tool-result": (part) => ({ kind: "result", tool: toolOf(part), ...resultOf(part) }),
  file: (part) => ({ kind: "file", name: fileOf(part) }),
  image: (part) => ({ kind: "file", name: fileOf(part) }),
};

const toolOf = ({ toolName, tool_name }: Fields): string => String(toolName ?? tool_name ?? "a tool");

/** Stored results name the type of their value; the API's only say whether it is an error. */
function resultOf({ output, is_error }: Fields): { value: unknown; failed: boolean } {
  const isStored = isObject(output) && typeof output.type === "string" && "value" in output;
  if (is_error !== undefined || !isStored) return { value: output, failed: is_error === true };
  return { value: output.value, failed: output.type === "error-json" };
}

const fileOf = ({ filename, name, path, mediaType, mime_type }: Fields): string =>
  [filename ?? name ?? path, mediaType ?? mime_type].filter((each) => typeof each === "string").join(", ");

/** Arguments one by one: texts as they are, the rest as JSON. Undefined for what has no names. */
export function argumentLines(input: unknown): readonly { name: string; text: string }[] | undefined {
  if (!isObject(input)) return undefined;
  return Object.entries(input).map(([name, value]) => ({
    name,
    text: typeof value === "string" ? value : JSON.stringify(value),
  }));
}
