/** A stored conversation for the terminal: messages, and a line for each call and its result. Pure. */
import type { Message } from "@capstan/client";
import { oneLine } from "./one-line.ts";

export const transcript = (messages: readonly Pick<Message, "role" | "content">[]): string =>
  messages.flatMap(({ role, content }) => content.map((part) => lineOf(role, part))).join("");

function lineOf(role: Message["role"], part: Message["content"][number]): string {
  if (part.type === "text") return role === "user" ? `\n› ${part.text}\n` : `${part.text}\n`;
  if (part.type === "tool-call") return `> ${part.tool_name} ${oneLine(JSON.stringify(part.input))}\n`;
  if (part.type !== "tool-result") return "";
  const edited =
    part.edited_input === undefined
      ? ""
      : `  edited before approval: ${oneLine(JSON.stringify(part.edited_input))}\n`;
  return `${edited}  ${oneLine(JSON.stringify(part.output))}\n`;
}
