/**
 * A recording of a coding agent: the raw lines it printed, or `{dir, msg}` records of both directions (`c2a`: client to agent).
 *
 * Which of the two is told per line, so a recording that was cut, or whose first lines are lost, still reads.
 */
import { asObject, parseObject } from "../adapters/json-line.ts";

export interface RecordedLine {
  /** Who wrote it. */
  readonly by: "agent" | "client";
  readonly line: string;
  /** The line as JSON, if it is. */
  readonly message: unknown;
}

export function readRecording(text: string): RecordedLine[] {
  const lines = text.replace(/^\uFEFF/, "").split("\n");
  return lines
    .map((line) => line.replace(/\r$/, ""))
    .flatMap((line) => (line.trim() === "" ? [] : [readLine(line)]));
}

function readLine(line: string): RecordedLine {
  const record = parseObject(line);
  if (record && (record.dir === "a2c" || record.dir === "c2a")) {
    const message = asObject(record.msg) ?? record.msg;
    const by = record.dir === "a2c" ? "agent" : "client";
    return { by, line: JSON.stringify(message) ?? "", message };
  }
  return { by: "agent", line, message: record };
}
