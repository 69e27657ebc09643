/** Compares dotted versions number by number: `2.1.9` is before `2.1.10`, and `2026.9.6` before `2026.11.1`. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}

/** What comes after a dash (a pre-release, a commit) does not count. */
const numbersOf = (version: string) =>
  (version.split(/[-+]/)[0] ?? "").split(".").map((part) => Number.parseInt(part, 10) || 0);
