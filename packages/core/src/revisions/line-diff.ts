/** The lines of two texts as one list: kept, removed, added. */

export interface DiffLine {
  readonly op: "same" | "removed" | "added";
  readonly text: string;
}

const MOST_CELLS = 4_000_000; // 2,000 changed lines on each side; beyond that everything counts as replaced

export function lineDiff(before: string, after: string): DiffLine[] {
  if (before === after) return linesOf(before).map((text) => ({ op: "same", text }));
  const left = linesOf(before);
  const right = linesOf(after);
  const start = commonStart(left, right);
  const end = commonEnd(left.slice(start), right.slice(start));
  const middle = changedLines(left.slice(start, left.length - end), right.slice(start, right.length - end));
  const same = (text: string): DiffLine => ({ op: "same", text });
  return [...left.slice(0, start).map(same), ...middle, ...left.slice(left.length - end).map(same)];
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.split("\n"));

function commonStart(left: readonly string[], right: readonly string[]): number {
  let at = 0;
  while (at < left.length && at < right.length && left[at] === right[at]) at++;
  return at;
}

function commonEnd(left: readonly string[], right: readonly string[]): number {
  let count = 0;
  while (count < left.length && count < right.length && left.at(-1 - count) === right.at(-1 - count)) count++;
  return count;
}

/** By the longest common subsequence. */
function changedLines(left: readonly string[], right: readonly string[]): DiffLine[] {
  const removed = left.map((text): DiffLine => ({ op: "removed", text }));
  const added = right.map((text): DiffLine => ({ op: "added", text }));
  if (left.length * right.length > MOST_CELLS || left.length === 0 || right.length === 0)
    return [...removed, ...added];
  const lengths = commonLengths(left, right);
  const cell = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    const text = left[i] ?? "";
    if (text === right[j]) {
      lines.push({ op: "same", text });
      i++;
      j++;
    } else if (cell(i + 1, j) >= cell(i, j + 1)) {
      lines.push({ op: "removed", text });
      i++;
    } else {
      lines.push({ op: "added", text: right[j] ?? "" });
      j++;
    }
  }
  return [...lines, ...removed.slice(i), ...added.slice(j)];
}

/** At [i][j]: how many lines the rests of both have in common, in order. */
function commonLengths(left: readonly string[], right: readonly string[]): number[][] {
  const rows = Array.from({ length: left.length + 1 }, () => new Array<number>(right.length + 1).fill(0));
  for (let i = left.length - 1; i >= 0; i--) {
    const row = rows[i] ?? [];
    const below = rows[i + 1] ?? [];
    for (let j = right.length - 1; j >= 0; j--)
      row[j] = left[i] === right[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
  }
  return rows;
}
