/** The part of semver that pins need: is it a version, and does one satisfy a pin (`1.2.3`, `^1.2.3`, `~1.2.3`, `1.x`)? */

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;
const PIN = /^([\^~]?)(\d+)(?:\.(\d+|x|\*))?(?:\.(\d+|x|\*))?(?:-([0-9A-Za-z.-]+))?$/;

export const isSemver = (text: string): boolean => VERSION.test(text);
export const isVersionPin = (text: string): boolean => text === "*" || PIN.test(text);

/** By number; a pre-release comes after its release. */
export function newerFirst(a: { readonly version: string }, b: { readonly version: string }): number {
  const [left, right] = [VERSION.exec(a.version) ?? [], VERSION.exec(b.version) ?? []];
  for (const part of [1, 2, 3]) {
    const difference = Number(right[part] ?? 0) - Number(left[part] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left[4] === right[4]) return 0;
  if (left[4] === undefined) return -1;
  return right[4] !== undefined && right[4] < left[4] ? -1 : 1;
}

export function satisfies(version: string, pin: string): boolean {
  if (pin === "*" || pin === version) return VERSION.test(version);
  const have = VERSION.exec(version);
  const want = PIN.exec(pin);
  if (!have || !want || have[1] !== want[2] || have[4] !== want[5]) return false;
  const [minor, patch] = [Number(have[2]), Number(have[3])];
  const [wantMinor, wantPatch] = [numberOrAny(want[3]), numberOrAny(want[4])];
  if (wantMinor === undefined) return true;
  const caret = want[1] === "^" && have[1] !== "0"; // before 1.0.0 a minor version may be breaking
  if (minor !== wantMinor) return caret && minor > wantMinor;
  if (wantPatch === undefined) return true;
  return want[1] === "" ? patch === wantPatch : patch >= wantPatch;
}

function numberOrAny(part: string | undefined): number | undefined {
  return part === undefined || part === "x" || part === "*" ? undefined : Number(part);
}
