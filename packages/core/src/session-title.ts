/** A session's default title: its first words. */
export function titleFromMessage(text: string): string {
  const [line = ""] = text.trim().split("\n");
  return line.length > 60 ? `${line.slice(0, 57).trimEnd()}...` : line;
}
