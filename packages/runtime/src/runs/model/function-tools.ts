/** Tools in the form providers accept. */
import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { RuntimeTool } from "@capstan/core";

/** Undefined without tools: some providers refuse an empty list. */
export const functionTools = (tools: readonly RuntimeTool[]): { tools?: LanguageModelV4FunctionTool[] } =>
  tools.length > 0 ? { tools: tools.map(functionTool) } : {};

const functionTool = ({ name, tool }: RuntimeTool): LanguageModelV4FunctionTool => ({
  type: "function",
  name,
  description: tool.description,
  inputSchema: tool.input.jsonSchema as LanguageModelV4FunctionTool["inputSchema"],
});
