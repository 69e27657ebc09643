/** Converts a tool's output to MCP. A refusal is a tool error for the model: code, message, next step. */
import type { Failure, JsonValue } from "@capstan/core";
import type { CallToolResult } from "@modelcontextprotocol/server";

export function outputAnswer(output: JsonValue): CallToolResult {
  const text = typeof output === "string" ? output : JSON.stringify(output);
  return { content: [{ type: "text", text }], ...(isObject(output) && { structuredContent: output }) };
}

export function failureAnswer({ code, message, nextStep }: Pick<Failure, "code" | "message" | "nextStep">) {
  const text = JSON.stringify({ code, message, nextStep });
  return { isError: true, content: [{ type: "text", text }] } satisfies CallToolResult;
}

const isObject = (value: JsonValue): value is { [key: string]: JsonValue } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
