/**
 * Agents with very many tools: above a token limit the model sees only `search_tools` and the tools it has found;
 * the other schemas cost no tokens. Found tools stay visible, in the order they were found, so that the start of
 * the prompt stays the same and stays cached. Visibility grants nothing: every call passes the gate.
 */
import { defineTool, ok, type RuntimeAgent, type RuntimeTool } from "@capstan/core";
import { type ConversationMessage, chooseTool, toolCallsOf } from "@capstan/core/internal";
import { z } from "zod";
import { isOfTheTurn, runtimeTool, stateTool, TOOL_SEARCH } from "./engine-tools.ts";

export const SEARCH_TOOL = "search_tools";
const DEFER_ABOVE_TOKENS = 16_000; // a tenth of a usual context window, sent with every step
const MOST_FOUND = 5;

export const isDeferred = (agent: RuntimeAgent, limit: number = DEFER_ABOVE_TOKENS): boolean =>
  agent.tokens.tools > limit;

/** The tools that a run of an AG-UI client adds to the agent's, the client's own left out. */
export function runTools(agent: RuntimeAgent, deferAbove?: number): RuntimeTool[] {
  const own = new Set([...agent.tools, ...agent.hidden].map(({ name }) => name));
  const added = [stateTool(() => null), ...(isDeferred(agent, deferAbove) ? [searchTool(agent)] : [])];
  return added.filter(({ name }) => !own.has(name));
}

/** Finds tools by what they do, among the agent's own tools; hidden ones are not searched. */
export function searchTool(agent: RuntimeAgent): RuntimeTool {
  const tool = defineTool({
    name: SEARCH_TOOL,
    description:
      "Find tools by what they do. Most tools are not listed: search before you say that something cannot be done. " +
      "Found tools can be called in the next step.",
    input: z.object({
      query: z.string().min(1).max(500).describe("What the tool should do, in plain words."),
    }),
    idempotent: true,
    pure: true,
    writes: [],
    run: ({ query }) => {
      const choosable = agent.tools.map(({ name, tool: { description, input } }) => ({
        name,
        description,
        inputSchema: input.jsonSchema,
      }));
      const found = chooseTool(query, choosable)
        .slice(0, MOST_FOUND)
        .flatMap(({ name }) => choosable.filter((one) => one.name === name));
      return ok({ tools: found.map(({ name, description }) => ({ name, description })) });
    },
  });
  return runtimeTool(tool, TOOL_SEARCH);
}

/** The search, the tools of the turn, and the tools found or used before, in that order. */
export function shownTools(agent: RuntimeAgent, messages: readonly ConversationMessage[]): RuntimeTool[] {
  const known = new Set(messages.flatMap((message) => [...foundIn(message), ...usedIn(message)]));
  const byName = new Map(agent.tools.map((tool) => [tool.name, tool]));
  const found = [...known].flatMap((name) => byName.get(name) ?? []);
  const always = agent.tools.filter(
    ({ capabilityId, name }) => !known.has(name) && isOfTheTurn(capabilityId),
  );
  return [...always, ...found];
}

const usedIn = (message: ConversationMessage): string[] =>
  toolCallsOf(message).map(({ toolName }) => toolName);

function foundIn(message: ConversationMessage): string[] {
  if (message.role !== "tool") return [];
  return message.content.flatMap(({ toolName, output }) =>
    toolName === SEARCH_TOOL && output.type === "json" ? namesIn(output.value) : [],
  );
}

const Found = z.object({ tools: z.array(z.object({ name: z.string() })) });

const namesIn = (value: unknown): string[] => {
  const parsed = Found.safeParse(value);
  return parsed.success ? parsed.data.tools.map(({ name }) => name) : [];
};
