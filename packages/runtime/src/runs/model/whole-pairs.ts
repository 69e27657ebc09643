/**
 * A conversation in which every tool call has exactly one result, directly after its message. Providers
 * reject anything else, and a cancelled run, or a session forked within a turn, leaves calls without results.
 */
import {
  type ConversationMessage,
  type ToolCallPart,
  type ToolResultPart,
  toolCallsOf,
} from "@capstan/core/internal";

type Assistant = Extract<ConversationMessage, { role: "assistant" }>;
type Tool = Extract<ConversationMessage, { role: "tool" }>;

export function wholePairs(messages: readonly ConversationMessage[]): ConversationMessage[] {
  const whole: ConversationMessage[] = [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at];
    if (!message || message.role === "tool") continue; // results are added with their call; one without a call is dropped
    if (message.role === "user") {
      whole.push(message);
      continue;
    }
    const results = resultsAfter(messages, at);
    const calls = toolCallsOf(message);
    whole.push(withEdits(message, results));
    if (calls.length > 0) whole.push(answering(message, calls, results));
  }
  return whole;
}

function resultsAfter(messages: readonly ConversationMessage[], at: number): Map<string, ToolResultPart> {
  const results = new Map<string, ToolResultPart>();
  for (let next = at + 1; next < messages.length; next++) {
    const message = messages[next];
    if (message?.role === "assistant") break;
    if (message?.role !== "tool") continue;
    for (const part of message.content) {
      if (!results.has(part.toolCallId)) results.set(part.toolCallId, part);
    }
  }
  return results;
}

/** The model sees the arguments its call ran with. */
function withEdits(message: Assistant, results: ReadonlyMap<string, ToolResultPart>): Assistant {
  const edited = (part: ToolCallPart) => results.get(part.toolCallId)?.editedInput;
  if (!toolCallsOf(message).some((call) => edited(call) !== undefined)) return message;
  const content = message.content.map((part) =>
    part.type === "tool-call" ? { ...part, input: edited(part) ?? part.input } : part,
  );
  return { ...message, content };
}

/** In the order of the calls, whatever order the results came in: the same conversation gives the same prompt. */
function answering(
  { id }: Assistant,
  calls: readonly ToolCallPart[],
  results: ReadonlyMap<string, ToolResultPart>,
): Tool {
  return {
    id: `${id}.results`,
    role: "tool",
    content: calls.map((call) => results.get(call.toolCallId) ?? noResult(call)),
  };
}

const noResult = ({ toolCallId, toolName }: ToolCallPart): ToolResultPart => ({
  type: "tool-result",
  toolCallId,
  toolName,
  output: {
    type: "error-json",
    value: { code: "cancelled", message: "The call was stopped before it had a result." },
  },
});
