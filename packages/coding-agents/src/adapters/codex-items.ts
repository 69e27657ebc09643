/**
 * Codex's items, named differently by its transports: `command_execution` in `exec --json`, `commandExecution` in the app-server.
 *
 * An item of type `error` is a warning: the run continues.
 */
import type { AdapterEvent } from "@capstan/core/internal";
import { asObject, asText, contentText, type JsonObject } from "../lines/json-line.ts";
import { textDelta, thinkingDelta } from "./deltas.ts";
import type { StreamedText } from "./streamed-text.ts";

/** Items that are work with a start and an end. */
const TOOLS: Readonly<Record<string, (item: JsonObject) => { tool: string; input: unknown }>> = {
  __proto__: null as never, // a line may name "constructor"
  commandexecution: ({ command, cwd }) => ({
    tool: "command_execution",
    input: { command, ...(cwd !== undefined && { cwd }) },
  }),
  filechange: ({ changes }) => ({ tool: "file_change", input: { changes } }),
  mcptoolcall: ({ server, tool, arguments: input }) => ({
    tool: `${asText(server) ?? "mcp"}.${asText(tool) ?? "unknown"}`,
    input: input ?? {},
  }),
  dynamictoolcall: ({ tool, arguments: input }) => ({ tool: asText(tool) ?? "unknown", input: input ?? {} }),
  collabagenttoolcall: ({ tool, prompt }) => ({ tool: asText(tool) ?? "sub_agent", input: { prompt } }),
  collabtoolcall: ({ tool, prompt }) => ({ tool: asText(tool) ?? "sub_agent", input: { prompt } }),
  websearch: ({ query }) => ({ tool: "web_search", input: { query } }),
  imagegeneration: ({ prompt }) => ({ tool: "image_generation", input: { prompt } }),
  imageview: ({ path }) => ({ tool: "image_view", input: { path } }),
};

const kindOf = (item: JsonObject) => String(item.type).replaceAll("_", "").toLowerCase();

export function itemStarted(item: JsonObject): AdapterEvent[] {
  const id = asText(item.id);
  const described = TOOLS[kindOf(item)]?.(item);
  return id === undefined || !described ? [] : [{ type: "tool-started", id, ...described }];
}

/** Text that grew; only whole items come in `exec --json`. */
export function itemUpdated(item: JsonObject, streamed: StreamedText): AdapterEvent[] {
  const key = asText(item.id) ?? "";
  switch (kindOf(item)) {
    case "agentmessage":
    case "plan":
      return textDelta(streamed.whole(key, asText(item.text) ?? ""));
    case "reasoning":
      return thinkingDelta(streamed.whole(key, reasoningText(item)));
    default:
      return [];
  }
}

export function itemCompleted(item: JsonObject, streamed: StreamedText): AdapterEvent[] {
  if (kindOf(item) === "error") return [{ type: "warning", message: asText(item.message) ?? "Codex warns." }];
  const [started] = itemStarted(item);
  if (started?.type !== "tool-started") return itemUpdated(item, streamed);
  const status = asText(item.status);
  const failed = status === "failed" || status === "declined" || item.success === false;
  const ended = { type: "tool-ended" as const, id: started.id, tool: started.tool, output: itemOutput(item) };
  return [started, { ...ended, isError: failed, ...(status === "declined" && { denied: true }) }];
}

/** Summaries where there are some; parts are joined as the deltas of both transports join them. */
function reasoningText(item: JsonObject): string {
  const whole = asText(item.text);
  if (whole !== undefined) return whole;
  const parts = Array.isArray(item.summary) && item.summary.length > 0 ? item.summary : item.content;
  return Array.isArray(parts) ? parts.filter((part) => typeof part === "string").join("\n\n") : "";
}

function itemOutput(item: JsonObject): string {
  const output = asText(item.aggregated_output) ?? asText(item.aggregatedOutput);
  if (output !== undefined) return output;
  const error = asText(asObject(item.error)?.message);
  if (error !== undefined) return error;
  const result = asObject(item.result);
  return contentText(result?.content ?? item.contentItems ?? item.content_items);
}
