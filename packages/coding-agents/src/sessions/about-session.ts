/** A summary of a stored session, from the start of its file: its first message, its folder, its model. */
import type { CliMessage, StoredSession } from "@capstan/core/internal";

const MAX_TITLE_CHARS = 80;

export function aboutSession(
  head: string,
  messages: readonly CliMessage[],
): Pick<StoredSession, "title" | "cwd" | "model"> {
  const first = messages.map(toldApart).find(({ role }) => role === "user")?.text;
  return {
    title: first === undefined ? undefined : titleOf(first),
    cwd: folderIn(head),
    model: modelIn(head),
  };
}

/** Context that a program adds in a person's name: instructions, not messages. */
const CONTEXT =
  /^\s*(<(session_context|environment_context|user_instructions|instructions|system-reminder|permissions|current_datetime|user_info)\b|# AGENTS\.md)/;

export const toldApart = (message: CliMessage): CliMessage =>
  message.role === "user" && CONTEXT.test(message.text) ? { ...message, role: "system" } : message;

function titleOf(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length > MAX_TITLE_CHARS ? `${line.slice(0, MAX_TITLE_CHARS - 1)}…` : line;
}

/** Gemini names its folder only in the context it tells its model. */
function folderIn(head: string): string | undefined {
  const stated = /"cwd":("(?:[^"\\]|\\.)*")/.exec(head)?.[1];
  if (stated !== undefined) return JSON.parse(stated) as string;
  return /Workspace Directories:\*\*\\n\s*- ([^\\"]+)/.exec(head)?.[1];
}

/** The first model named; a provider's name may precede it. */
const modelIn = (head: string): string | undefined => /"model(?:Id)?":"([\w./:@-]+)"/.exec(head)?.[1];
