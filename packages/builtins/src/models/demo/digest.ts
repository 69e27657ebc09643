/** An extractive summary: the beginnings of questions and answers; the newest are kept first. */
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";

const LINE_CHARS = 160;
const MOST_LINES = 40;

export function digest(prompt: LanguageModelV4Prompt): string {
  const lines = prompt.flatMap(({ role, content }) => {
    if (role === "system" || role === "tool" || typeof content === "string") return [];
    const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
    const line = text.trim().replaceAll(/\s+/g, " ").slice(0, LINE_CHARS);
    return line === "" ? [] : [`- ${role === "user" ? "Asked" : "Answered"}: ${line}`];
  });
  return ["## Done", ...lines.slice(-MOST_LINES)].join("\n");
}
