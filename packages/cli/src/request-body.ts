/** Builds a request body from options, validated by its schema here, with the usage, rather than by the server. */
import { fail, type Result } from "@capstan/core";
import { readInput } from "@capstan/core/internal";
import type { z } from "zod";

export function requestBody<S extends z.ZodType>(
  schema: S,
  value: Readonly<Record<string, unknown>>,
  usage: string,
): Result<z.output<S>> {
  const given = Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
  const read = readInput(schema, given);
  return read.ok ? read : fail("command_invalid", { message: read.where, usage });
}

/** A number on the command line; anything else stays text, and is refused by name. */
export const numberOf = (text: unknown): unknown =>
  typeof text === "string" && text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
