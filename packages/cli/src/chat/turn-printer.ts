/** A run's events as terminal lines: streamed text, one line per tool call, reasoning in grey. Pure. */
import type { RunEvent } from "@capstan/core";
import { oneLine } from "./one-line.ts";

export interface TurnPrinter {
  /** What to print for this event. */
  print(event: RunEvent): string;
}

const GREY = "\u001b[90m";
const PLAIN = "\u001b[0m";

export function turnPrinter(colours: boolean): TurnPrinter {
  const grey = (text: string) => (colours ? `${GREY}${text}${PLAIN}` : text);
  const names = new Map<string, string>();
  const input = new Map<string, string>();
  let midLine = false;
  const fresh = (text: string): string => {
    const before = midLine ? "\n" : "";
    midLine = !text.endsWith("\n");
    return before + text;
  };
  const flow = (text: string): string => {
    if (text !== "") midLine = !text.endsWith("\n");
    return text;
  };
  /** One row per kind of event; kinds without a row print nothing. */
  const rows: Partial<Record<RunEvent["type"], (event: never) => string>> = {
    TEXT_MESSAGE_CONTENT: ({ delta }: { delta: string }) => flow(delta),
    TEXT_MESSAGE_END: () => (midLine ? flow("\n") : ""),
    REASONING_MESSAGE_CONTENT: ({ delta }: { delta: string }) => flow(grey(delta)),
    REASONING_MESSAGE_END: () => (midLine ? flow("\n") : ""),
    TOOL_CALL_START: ({ toolCallId, toolCallName }: { toolCallId: string; toolCallName: string }) => {
      names.set(toolCallId, toolCallName);
      input.set(toolCallId, "");
      return "";
    },
    TOOL_CALL_ARGS: ({ toolCallId, delta }: { toolCallId: string; delta: string }) => {
      input.set(toolCallId, (input.get(toolCallId) ?? "") + delta);
      return "";
    },
    TOOL_CALL_END: ({ toolCallId }: { toolCallId: string }) =>
      fresh(`${grey(`> ${names.get(toolCallId)} ${oneLine(input.get(toolCallId) ?? "")}`)}\n`),
    TOOL_CALL_RESULT: ({ content }: { content: unknown }) =>
      fresh(`${grey(`  ${oneLine(typeof content === "string" ? content : JSON.stringify(content))}`)}\n`),
    RUN_ERROR: ({ message }: { message: string }) => fresh(`Error: ${message}\n`),
    RUN_FINISHED: ({ outcome }: { outcome?: { type: string } }) =>
      outcome?.type === "cancelled" ? fresh("(stopped)\n") : midLine ? flow("\n") : "",
  };
  return { print: (event) => rows[event.type]?.(event as never) ?? "" };
}
