/** A session is called by its first words until someone names it. */
export function titleFromMessage(text: string): string {
  const [line = ""] = text.trim().split("\n");
  return line.length > 60 ? `${line.slice(0, 57).trimEnd()}...` : line;
}
