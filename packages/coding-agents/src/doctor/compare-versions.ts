/**
 * Compares dotted versions number by number: `2.1.9` is before `2.1.10`, and `2026.9.6` before `2026.11.1`. A pre-release
 * (`1.2.3-beta.1`) comes before its release; build metadata (`+abc`) does not count.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  const byNumbers = compareLists(left.numbers, right.numbers, (one, other) => Number(one) - Number(other));
  if (byNumbers !== 0 || left.preRelease === right.preRelease) return byNumbers;
  if (left.preRelease === undefined) return 1;
  if (right.preRelease === undefined) return -1;
  return compareLists(left.preRelease.split("."), right.preRelease.split("."), compareIdentifiers);
}

interface VersionParts {
  readonly numbers: readonly string[];
  readonly preRelease: string | undefined;
}

/** A date followed by a commit (`2026.11.03-a84f3c2`) is a release: only known words mark a pre-release. */
const PRE_RELEASE = /^(alpha|beta|rc|next|nightly|preview|canary|dev|pre)\b/i;

function partsOf(version: string): VersionParts {
  const [core = "", ...rest] = (version.split("+")[0] ?? "").split("-");
  const suffix = rest.join("-");
  return { numbers: core.split("."), preRelease: PRE_RELEASE.test(suffix) ? suffix : undefined };
}

function compareLists(
  a: readonly string[],
  b: readonly string[],
  compare: (one: string, other: string) => number,
): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = compare(a[index] ?? "0", b[index] ?? "0");
    if (difference !== 0 && !Number.isNaN(difference)) return Math.sign(difference);
  }
  return 0;
}

const compareIdentifiers = (one: string, other: string): number => {
  const [left, right] = [Number(one), Number(other)];
  return Number.isNaN(left) || Number.isNaN(right) ? one.localeCompare(other) : left - right;
};
