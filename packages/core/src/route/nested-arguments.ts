/**
 * Objects and lists of objects: "add a task: buy milk" for `items: [{ content }]`. Filled from the same text, and
 * only if something in it indicates a field.
 */
import type { JsonSchema, JsonValue } from "../schema.ts";
import { isRecord, type ParameterSchema, parametersOf } from "./parameters.ts";

type MapFields = (schema: JsonSchema) => {
  readonly payload: Readonly<Record<string, JsonValue>>;
  readonly missing: readonly string[];
  readonly guessed: readonly string[];
};

export interface NestedValue {
  readonly value: JsonValue;
  readonly isGuess: boolean;
}

/** A required object, or the single object of a required list. Nothing when one of its own required fields is missing. */
export function nestedValue({ schema, required }: ParameterSchema, map: MapFields): NestedValue | undefined {
  if (!required) return undefined;
  const isList = schema.type === "array";
  const object = isList ? schema.items : schema;
  if (!isRecord(object) || (object.type !== "object" && object.type !== undefined)) return undefined;
  if (parametersOf(object).length === 0) return undefined;
  const { payload, missing, guessed } = map(object);
  if (missing.length > 0 || Object.keys(payload).length === 0) return undefined;
  return { value: isList ? [payload] : payload, isGuess: guessed.length > 0 };
}
