/** How much of a conversation a model gets: its context window without the prompt, the tools and room for the answer. */
import type { JsonSchema, RuntimeAgent, RuntimeTool } from "@capstan/core";
import type { ConversationMessage } from "@capstan/core/internal";
import type { ResolvedModel } from "../../providers/models.ts";
import { isSummary } from "../summary/session-summary.ts";
import { fitWindow, messageTokens } from "./window.ts";

export const ANSWER_TOKENS = 8192; // reserved for the answer where a model's maximum is larger or unknown
const SMALLEST_WINDOW = 2000;
const CHARS_PER_TOKEN = 3.6; // a little under the usual 4: a prompt that is too long is refused

/** An estimate. A tokenizer would read the whole conversation at every step. */
export const guessTokens = (text: string): number => Math.ceil(text.length / CHARS_PER_TOKEN);

export const guessMessageTokens = (message: ConversationMessage): number =>
  messageTokens(message, guessTokens);

/** Needed for every tool at every step, so a schema is serialised once. */
const schemaTokens = new WeakMap<JsonSchema, number>();

function toolTokens({ name, tool: { description, input } }: RuntimeTool): number {
  const { jsonSchema } = input;
  const known = schemaTokens.get(jsonSchema);
  const parameters = known ?? guessTokens(JSON.stringify(jsonSchema));
  if (known === undefined) schemaTokens.set(jsonSchema, parameters);
  return guessTokens(JSON.stringify({ name, description })) + parameters;
}

export function conversationLimit(
  { systemPrompt }: RuntimeAgent,
  model: Pick<ResolvedModel, "contextWindow" | "maxOutputTokens">,
  tools: readonly RuntimeTool[],
): number {
  const fixed = guessTokens(systemPrompt) + tools.reduce((sum, tool) => sum + toolTokens(tool), 0);
  const room = Math.min(model.maxOutputTokens ?? ANSWER_TOKENS, ANSWER_TOKENS, model.contextWindow / 4);
  return Math.max(SMALLEST_WINDOW, model.contextWindow - fixed - room);
}

/** Tools where each call replaces the previous one. */
export const replacingTools = ({ tools }: RuntimeAgent): ReadonlySet<string> =>
  new Set(tools.flatMap(({ name, tool }) => (tool.replacesEarlier ? [name] : [])));

/** The messages to send. The summary of earlier ones is never dropped. */
export function fitConversation(
  messages: readonly ConversationMessage[],
  agent: RuntimeAgent,
  limitTokens: number,
): ConversationMessage[] {
  const [first] = messages;
  const head = first && isSummary(first) ? [first] : [];
  const left = limitTokens - head.reduce((sum, message) => sum + guessMessageTokens(message), 0);
  const fitted = fitWindow(messages.slice(head.length), {
    limitTokens: Math.max(SMALLEST_WINDOW, left),
    countTokens: guessTokens,
    replacing: replacingTools(agent),
  });
  return [...head, ...fitted.messages];
}
