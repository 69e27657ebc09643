type Separator = "," | "\t" | ";";

/** A cell, quoted or not, and what ends it. */
const CELLS: Record<Separator, RegExp> = {
  ",": /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r?\n|$)/gy,
  "\t": /("(?:[^"]|"")*"|[^\t\r\n]*)(\t|\r?\n|$)/gy,
  ";": /("(?:[^"]|"")*"|[^;\r\n]*)(;|\r?\n|$)/gy,
};

/** Rows of a CSV or TSV file (RFC 4180): quotes, doubled quotes, line ends inside quotes. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let read = 0;
  for (const [whole, cell = "", end] of text.matchAll(CELLS[separatorOf(text)])) {
    if (read === text.length && (whole === "" || row.length === 0)) break;
    read += whole.length;
    row.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === "\n" || end === "\r\n" || end === "") {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

/** By the first line: whichever is most often in it. */
function separatorOf(text: string): Separator {
  const [line = ""] = text.split("\n", 1);
  const often = (each: string) => line.split(each).length;
  return ([",", "\t", ";"] as const).toSorted((a, b) => often(b) - often(a))[0] ?? ",";
}
