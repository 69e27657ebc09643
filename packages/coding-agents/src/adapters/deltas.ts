/** The two events for text, left out when there is none. */
import type { AdapterEvent } from "@capstan/core/internal";

export const textDelta = (text: string): AdapterEvent[] =>
  text === "" ? [] : [{ type: "text-delta", text }];

export const thinkingDelta = (text: string): AdapterEvent[] =>
  text === "" ? [] : [{ type: "thinking-delta", text }];
