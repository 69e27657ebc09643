/** A tool's answer as a sentence: the one field that matters, or the whole when none does. */

/** What people ask a tool for, most telling first. */
const TELLING = [
  "reply",
  "answer",
  "result",
  "content",
  "text",
  "timestamp",
  "datetime",
  "time",
  "formatted",
  "current_time",
  "summary",
  "message",
  "output",
  "stdout",
  "plan",
  "results",
  "entries",
  "matches",
  "todos",
];
const SHOWN_CHARS = 1500;

export function wordAnswer({
  tool,
  value,
  isError,
}: {
  tool: string;
  value: unknown;
  isError: boolean;
}): string {
  if (isError) return `${tool} did not work: ${messageOf(value)}`;
  if (typeof value !== "object" || value === null) return `${tool}: ${cut(String(value))}`;
  const fields = value as Record<string, unknown>;
  const key = TELLING.find(
    (name) => fields[name] !== undefined && fields[name] !== null && fields[name] !== "",
  );
  const told = key === undefined ? fields : fields[key];
  return `${tool}: ${cut(typeof told === "string" ? told : JSON.stringify(told))}`;
}

function messageOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const { message, nextStep } = value as { message?: string; nextStep?: string };
  return [message ?? JSON.stringify(value), nextStep].filter((text) => text !== undefined).join(" ");
}

const cut = (text: string): string => (text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)} …`);
