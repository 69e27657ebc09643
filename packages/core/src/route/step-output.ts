/** Missing input of a step from the output of the previous one: by name, otherwise by kind. */
import type { JsonSchema, JsonValue } from "../schema.ts";
import { isFreeText } from "./free-text.ts";
import { kindOf } from "./parameter-kind.ts";
import { isRecord, parametersOf } from "./parameters.ts";

const PATH_FIELDS = /^(path|file|output|output_?path|file_?path|target)$/i;
const TEXT_FIELDS = /^(text|content|result|answer|summary|markdown|body|translation|output|message)$/i;
const NUMBER_FIELDS = /^(result|value|number|total|amount|count)$/i;

/** Undefined when the output has nothing of that kind. */
export function valueFor(
  input: string,
  schema: JsonSchema,
  output: JsonValue | undefined,
): JsonValue | undefined {
  const parameter = parametersOf(schema).find(({ name }) => name === input);
  if (!parameter || output === undefined) return undefined;
  const { type } = parameter.schema;
  const fits = (value: unknown): value is JsonValue => holds(type, value);
  const fields = isRecord(output) ? output : {};
  if (fits(fields[input])) return fields[input];
  const field = (names: RegExp) =>
    Object.entries(fields).find(([name, value]) => names.test(name) && fits(value));
  if (type === "number" || type === "integer")
    return fits(output) ? output : (field(NUMBER_FIELDS)?.[1] as JsonValue);
  if (kindOf(parameter) === "path") return field(PATH_FIELDS)?.[1] as JsonValue | undefined;
  if (!isFreeText(input)) return undefined;
  return fits(output)
    ? output
    : textOf(input, type, output, field(TEXT_FIELDS)?.[1] as JsonValue | undefined);
}

function textOf(
  input: string,
  type: unknown,
  output: JsonValue,
  said: JsonValue | undefined,
): JsonValue | undefined {
  return said ?? (DOCUMENT.test(input) && type === "string" ? asDocument(output) : undefined);
}

/** Something to keep as it is: a record without a text of its own is kept whole. */
const DOCUMENT = /^(content|text|body|note)s?$/i;

function asDocument(output: JsonValue): string {
  const values = isRecord(output) ? Object.values(output) : [output];
  const [only] = values;
  return values.length === 1 && typeof only !== "object" ? String(only) : JSON.stringify(output, null, 2);
}

function holds(type: unknown, value: unknown): boolean {
  if (type === "number") return typeof value === "number";
  if (type === "integer") return Number.isInteger(value);
  return (type === "string" || type === undefined) && typeof value === "string";
}
