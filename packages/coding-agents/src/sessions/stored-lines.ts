/** Reads a stored session's lines, one table for all that keep JSON lines. */
import type { CliMessage } from "@capstan/core/internal";
import { type JsonObject, parseObject } from "../lines/json-line.ts";

/** The messages of a file, by what one line means. Lines of other kinds, and broken ones, are ignored. */
export const storedMessages =
  (read: (line: JsonObject) => readonly CliMessage[]) =>
  (text: string): CliMessage[] =>
    text.split("\n").flatMap((line) => {
      const record = parseObject(line);
      return record ? read(record).filter((message) => message.text !== "") : [];
    });

/** The last part of a path's name that looks like a UUID. */
export const uuidOf = (path: string): string | undefined =>
  /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/.exec(path)?.[1];
