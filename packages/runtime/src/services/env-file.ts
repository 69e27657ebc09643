/** Parses `.env` files as Compose does: `NAME=value`, quotes, and comments after a space. */

const LINE = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/;

export function readEnvFile(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const match = LINE.exec(line);
    if (match?.[1]) values[match[1]] = plainValue(match[2] ?? "");
  }
  return values;
}

function plainValue(written: string): string {
  const quoted = /^(["'])(.*?)\1\s*(?:#.*)?$/.exec(written);
  if (quoted) return quoted[2] ?? "";
  return written.replace(/(^|\s+)#.*$/, "").trim();
}

/** `${NAME}` and `${NAME:-default}`, as in Compose. Unknown names become empty. */
export function interpolate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (_, name: string, otherwise = "") => values[name] || otherwise,
  );
}
