/** A call's arguments or result on one terminal line, truncated. */
const SHOWN_CHARS = 160;

export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length <= SHOWN_CHARS ? line : `${line.slice(0, SHOWN_CHARS - 1)}…`;
}
