/** The names closest to what was typed, for "did you mean". */

const LONGEST = 200; // names are short; longer typed text is not a name
const FARTHEST_SHARE = 0.4; // of the longer word; beyond that a suggestion only confuses

export function nearest(wanted: string, names: Iterable<string>, most = 3): string[] {
  const key = wanted.toLowerCase();
  return [...names]
    .map((name) => ({ name, distance: distance(key, name.toLowerCase(), wanted.length) }))
    .filter(
      ({ name, distance }) =>
        distance <= Math.max(1, Math.floor(Math.max(name.length, key.length) * FARTHEST_SHARE)),
    )
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name);
}

/** A name that contains the typed text counts as one edit away. */
function distance(a: string, b: string, typed: number): number {
  if (typed > 2 && b.includes(a)) return a === b ? 0 : 1;
  return a.length > LONGEST || b.length > LONGEST ? Number.POSITIVE_INFINITY : editDistance(a, b);
}

/** Edits from one to the other; two letters in the wrong order are one. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1]);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(replaced, swapped, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    before = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}
