/**
 * Lines of JSON, read by a table: one row per kind of line, each with the few fields it needs.
 *
 * Optional fields never fail a row: a newer CLI may change what we only show. A line that fits no row means nothing.
 */
import type { AdapterEvent } from "@capstan/core/internal";
import { z } from "zod";

export type JsonObject = Readonly<Record<string, unknown>>;
export type ReadRecord<State> = (record: JsonObject, state: State) => readonly AdapterEvent[];

export const text = z.string();
export const maybeText = z.string().optional().catch(undefined);
export const maybeNumber = z.number().optional().catch(undefined);
export const maybeFlag = z.boolean().optional().catch(undefined);
export const anything = z.unknown().optional();

/** A field that may be missing or odd, without losing the rest of the line. */
export const maybe = <T extends z.ZodType>(type: T) => type.optional().catch(undefined);

/** A list that keeps only valid entries. */
export const listOf = <T extends z.ZodType>(entry: T) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((entries) =>
      entries.flatMap((value) => {
        const parsed = entry.safeParse(value);
        return parsed.success ? [parsed.data as z.output<T>] : [];
      }),
    );

/** Makes rows for one reader: the fields that are needed, and what they mean. */
export function rowsFor<State>() {
  return <Shape extends z.ZodRawShape>(
    shape: Shape,
    read: (data: z.output<z.ZodObject<Shape>>, state: State) => readonly AdapterEvent[],
  ): ReadRecord<State> => {
    const schema = z.object(shape);
    return (record, state) => {
      const parsed = schema.safeParse(record);
      return parsed.success ? read(parsed.data as z.output<z.ZodObject<Shape>>, state) : [];
    };
  };
}

/** The line as an object; `undefined` for anything else a CLI prints. */
export function parseObject(line: string): JsonObject | undefined {
  const trimmed = line.trim();
  if (!trimmed.startsWith("{")) return undefined;
  try {
    return asObject(JSON.parse(trimmed));
  } catch {
    return undefined;
  }
}

/** Any JSON; invalid text gives an empty list. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return [];
  }
}

export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

export const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Text out of what models and tools call content: a string, or a list of blocks of which some hold text. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((block) => {
      const object = asObject(block);
      return asText(block) ?? asText(object?.text) ?? contentText(asObject(object?.content)?.text);
    })
    .filter((part) => part !== undefined && part !== "")
    .join("\n");
}
