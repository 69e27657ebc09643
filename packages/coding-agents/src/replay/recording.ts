/**
 * A recording of a coding agent: the raw lines it printed, `{dir, msg}` records of both directions (`c2a`: client to agent), or
 * the one JSON document that some print at the end.
 *
 * Detected per line, so a recording that was cut, or whose first lines are lost, can still be read.
 */
import { parseObject } from "../lines/json-line.ts";

export interface RecordedLine {
  /** Who wrote it. */
  readonly by: "agent" | "client";
  readonly line: string;
  /** The line as JSON, if it is. */
  readonly message: unknown;
}

export function readRecording(text: string): RecordedLine[] {
  const lines = text.replace(/^\uFEFF/, "").split("\n");
  return (documentLines(text) ?? lines)
    .map((line) => line.replace(/\r$/, ""))
    .flatMap((line) => (line.startsWith("[") ? (documentLines(line) ?? [line]) : [line]))
    .flatMap((line) => (line.trim() === "" ? [] : [readLine(line)]));
}

function readLine(line: string): RecordedLine {
  const record = parseObject(line);
  if (record && (record.dir === "a2c" || record.dir === "c2a")) {
    const by = record.dir === "a2c" ? "agent" : "client";
    const { msg } = record;
    // Text that was not JSON is kept as text.
    if (typeof msg === "string") return { by, line: msg, message: parseObject(msg) };
    return { by, line: JSON.stringify(msg) ?? "", message: msg };
  }
  return { by: "agent", line, message: record };
}

/** One JSON document (`--output-format json`): each entry of a list is a line, an object over many lines is one. */
function documentLines(text: string): string[] | undefined {
  const trimmed = text.replace(/^\uFEFF/, "").trim();
  if (!/^(\[|\{\s*\n)/.test(trimmed)) return undefined;
  try {
    const document: unknown = JSON.parse(trimmed);
    return (Array.isArray(document) ? document : [document]).map((entry) => JSON.stringify(entry) ?? "");
  } catch {
    return undefined;
  }
}
