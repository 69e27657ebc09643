/**
 * The cells of one table, row by row. Whether it is a data table or a layout table is only known at its end: a table
 * with nested tables, code or headings, or with one column, is written as its contents, one after the other.
 */

const MAX_COLUMNS = 200; // colspan="1000" on every cell must not outgrow the page

export class TableRows {
  /** Set when it cannot be written as a Markdown table. */
  isLayout: boolean;
  private readonly rows: string[][] = [];
  private row: string[] | undefined;
  /** For each column, how many further rows a cell above spans. */
  private readonly reaching: number[] = [];

  constructor(isLayout: boolean) {
    this.isLayout = isLayout;
  }

  startRow(): void {
    this.endRow();
    this.row = [];
  }

  endRow(): void {
    if (!this.row) return;
    this.skipReached(this.row);
    if (this.row.some((cell) => cell !== "")) this.rows.push(this.row);
    this.row = undefined;
  }

  add(cell: string, colspan: number, rowspan: number): void {
    this.row ??= [];
    this.skipReached(this.row);
    const columns = Math.min(Math.max(1, colspan), Math.max(1, MAX_COLUMNS - this.row.length));
    for (let column = 0; column < columns; column++) {
      if (rowspan > 1) this.reaching[this.row.length] = Math.min(rowspan, 1_000) - 1;
      this.row.push(column === 0 ? cell : "");
    }
  }

  /** The rows of a data table, the first padded to the longest; undefined for a layout table. */
  data(): string[][] | undefined {
    this.endRow();
    const columns = this.rows.reduce((longest, row) => Math.max(longest, usedColumns(row)), 0);
    if (this.isLayout || columns < 2) return undefined;
    const rows = this.rows.map((row) => row.slice(0, Math.max(1, usedColumns(row))));
    const header = rows[0] ?? [];
    while (header.length < columns) header.push("");
    return rows;
  }

  /** The contents of the cells, in reading order. */
  contents(): string[] {
    this.endRow();
    return this.rows.flat().filter((cell) => cell !== "");
  }

  private skipReached(row: string[]): void {
    for (let left = this.reaching[row.length] ?? 0; left > 0; left = this.reaching[row.length] ?? 0) {
      this.reaching[row.length] = left - 1;
      row.push("");
    }
  }
}

function usedColumns(row: readonly string[]): number {
  return row.findLastIndex((cell) => cell !== "") + 1;
}
