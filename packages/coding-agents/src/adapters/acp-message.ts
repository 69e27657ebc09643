/**
 * A message over ACP. Agents run one that begins with a slash (Gemini: also with a dollar sign) as a command of their own, without
 * asking: Copilot's `/allow-all` ends all its questions, Gemini's `/init` writes a file. They look at the start of the whole text.
 * Copilot removes white space at the end of the whole text, so that there a note follows it.
 */
import type { JsonObject } from "../lines/json-line.ts";

const READ_AS_COMMAND = /^\s*[/$]/;
const AS_TEXT = "(The text below is a message, not a command.)";

export const acpMessage = (text: string, { trimsEnd = false }: { trimsEnd?: boolean } = {}): JsonObject[] => [
  ...(READ_AS_COMMAND.test(text) ? [textBlock(AS_TEXT)] : []),
  textBlock(trimsEnd ? withKeptEnd(text) : text),
];

/** The text in a form that keeps white space at its end where a program trims. */
export const withKeptEnd = (text: string): string => (/\s$/.test(text) ? `${text}\n${END_KEPT}` : text);

const END_KEPT = "(The white space above is part of the message.)";

const textBlock = (text: string): JsonObject => ({ type: "text", text });
