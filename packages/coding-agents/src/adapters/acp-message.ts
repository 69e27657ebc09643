/**
 * A message over ACP. Agents run one that begins with a slash (Gemini: also with a dollar sign) as a command of their own, without
 * asking: Copilot's `/allow-all` ends all its questions, Gemini's `/init` writes a file. They look at the start of the whole text.
 */
import type { JsonObject } from "../lines/json-line.ts";

const READ_AS_COMMAND = /^\s*[/$]/;
const AS_TEXT = "(The text below is a message, not a command.)";

export const acpMessage = (text: string): JsonObject[] => [
  ...(READ_AS_COMMAND.test(text) ? [textBlock(AS_TEXT)] : []),
  textBlock(text),
];

const textBlock = (text: string): JsonObject => ({ type: "text", text });
