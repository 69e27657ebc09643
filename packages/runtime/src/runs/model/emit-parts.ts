/** The events of a complete message, sent at once instead of streamed. */
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { RunEvent } from "@capstan/core";
import type { AssistantPart } from "@capstan/core/internal";
import { MessageBuilder } from "./message-builder.ts";

export function emitParts(
  messageId: string,
  parts: readonly AssistantPart[],
  emit: (event: RunEvent) => void,
): void {
  const builder = new MessageBuilder(messageId, new Set(), emit);
  for (const [index, part] of parts.entries())
    for (const said of streamed(part, String(index))) builder.take(said);
  builder.close();
}

function streamed(part: AssistantPart, id: string): LanguageModelV4StreamPart[] {
  switch (part.type) {
    case "text":
      return [
        { type: "text-delta", id, delta: part.text },
        { type: "text-end", id },
      ];
    case "reasoning":
      return [
        { type: "reasoning-start", id },
        { type: "reasoning-delta", id, delta: part.text },
        { type: "reasoning-end", id },
      ];
    case "tool-call": {
      const { toolCallId, toolName, input } = part;
      return [{ type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) }];
    }
    default:
      return [];
  }
}
