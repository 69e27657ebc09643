/**
 * Which lines changed between two texts: the longest common run of lines is unchanged, the rest was removed or added.
 */

export interface DiffLine {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
}

const MOST_CELLS = 4_000_000; // lines of one text times lines of the other; beyond that all is shown as replaced

export function lineDiff(before: string, after: string): DiffLine[] {
  const old = linesOf(before);
  const now = linesOf(after);
  const start = commonStart(old, now);
  const end = commonEnd(old.slice(start), now.slice(start));
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind: "same", text }));
  return [
    ...same(now.slice(0, start)),
    ...middleDiff(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...same(now.slice(now.length - end)),
  ];
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

function commonStart(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((line, index) => line !== b[index]);
  return at < 0 ? Math.min(a.length, b.length) : at;
}

const commonEnd = (a: readonly string[], b: readonly string[]): number =>
  commonStart(a.toReversed(), b.toReversed());

function middleDiff(old: readonly string[], now: readonly string[]): DiffLine[] {
  const gone = old.map((text): DiffLine => ({ kind: "gone", text }));
  const came = now.map((text): DiffLine => ({ kind: "new", text }));
  if (old.length * now.length > MOST_CELLS || old.length === 0 || now.length === 0) return [...gone, ...came];
  return walk(old, now, commonLengths(old, now));
}

/** `lengths[i][j]`: the most lines that old from i and now from j have in common, in order. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint32Array[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      at(lengths, i)[j] =
        old[i] === now[j]
          ? valueAt(lengths, i + 1, j + 1) + 1
          : Math.max(valueAt(lengths, i + 1, j), valueAt(lengths, i, j + 1));
  return lengths;
}

const at = (lengths: readonly Uint32Array[], i: number): Uint32Array => lengths[i] ?? new Uint32Array(0);
const valueAt = (lengths: readonly Uint32Array[], i: number, j: number): number => at(lengths, i)[j] ?? 0;

function walk(old: readonly string[], now: readonly string[], lengths: readonly Uint32Array[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    const [before, after] = [old[i], now[j]];
    if (before !== undefined && before === after) {
      lines.push({ kind: "same", text: before });
      i += 1;
      j += 1;
    } else if (
      before !== undefined &&
      (after === undefined || valueAt(lengths, i + 1, j) >= valueAt(lengths, i, j + 1))
    ) {
      lines.push({ kind: "gone", text: before });
      i += 1;
    } else {
      lines.push({ kind: "new", text: after ?? "" });
      j += 1;
    }
  }
  return lines;
}
