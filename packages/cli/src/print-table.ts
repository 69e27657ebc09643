/** Rows as aligned columns; the last column is cut at the end of the line. */
export function printTable(rows: readonly (readonly string[])[], columns: number): string {
  if (rows.length === 0) return "";
  const count = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, index) =>
    Math.max(...rows.map((row) => row[index]?.length ?? 0)),
  );
  const used = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  const room = Math.max(20, columns - used);
  return rows
    .map((row) =>
      row
        .map((cell, index) => (index === count - 1 ? cut(cell, room) : cell.padEnd((widths[index] ?? 0) + 2)))
        .join("")
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join("");
}

const cut = (text: string, room: number): string => {
  const line = text.replace(/\s+/g, " ");
  return line.length <= room ? line : `${line.slice(0, room - 1)}…`;
};

/** A list with its header; a sentence if it is empty. */
export function printList(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number,
  none: string,
): string {
  return rows.length === 0 ? `${none}\n` : printTable([head, ...rows], columns);
}

/** A list as `--json` prints it. */
export const itemsOf = <T>(items: readonly T[]) => ({ items, total: items.length });
