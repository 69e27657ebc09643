/**
 * Reads CSV (RFC 4180): quoted fields may hold commas, quotes and line ends. The first row names the columns. Spreadsheets of
 * many countries separate by semicolons or tabs instead: that is seen in the first row, or said by a line `sep=;`.
 */
import type { Parsed } from "../schema.ts";

export type CsvRow = Readonly<Record<string, string>>;

export function readCsv(text: string): Parsed<CsvRow[]> {
  const [, declared, body = ""] = /^\uFEFF?(?:sep=([,;\t|])(?:\r?\n|\r))?([\s\S]*)$/i.exec(text) ?? [];
  const cells = cellsOf(body, declared ?? separatorIn(body));
  if (!cells.ok) return cells;
  const [head = [], ...rows] = cells.value;
  const names = head.map((name) => name.trim());
  const twice = names.find((name, at) => name !== "" && names.indexOf(name) < at);
  if (twice !== undefined) return { ok: false, where: `row 1: the column "${twice}" is there twice` };
  const long = rows.findIndex((row) => row.slice(names.length).some((cell) => cell !== ""));
  if (long >= 0)
    return {
      ok: false,
      where: `row ${long + 2}: it has more cells than there are columns (${names.length})`,
    };
  const value = rows
    .filter((row) => row.some((cell) => cell !== ""))
    .map((row) => Object.fromEntries(names.map((name, at) => [name, unprefixed(row[at] ?? "")])));
  return { ok: true, value };
}

/** Our own CSV prefixes what a spreadsheet would run as a formula. */
const unprefixed = (cell: string): string => (/^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);

/** Names of columns have none of them. */
const separatorIn = (text: string): string => /^[^\r\n,]*?([,;\t])/.exec(text)?.[1] ?? ",";

function cellsOf(text: string, separator: string): Parsed<string[][]> {
  const rows: string[][] = [];
  const s = separator;
  const cell = new RegExp(`("(?:[^"]|"")*"|[^"${s}\\r\\n][^${s}\\r\\n]*|)([${s}]|\\r?\\n|\\r|$)`, "gy");
  let row: string[] = [];
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (!match) return { ok: false, where: `row ${rows.length + 1}: a quote that is not closed` };
    const [, found = "", end] = match;
    row.push(found.startsWith('"') ? found.slice(1, -1).replaceAll('""', '"') : found);
    if (end === s && cell.lastIndex < text.length) continue;
    if (end === s) row.push("");
    rows.push(row);
    row = [];
  }
  return { ok: true, value: rows };
}
