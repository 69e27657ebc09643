/** Paths below a folder that match a pattern; `*` matches any part of one name. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";

const MAX_PATHS = 20_000; // other people's session folders hold many

export async function matchingPaths(root: string, pattern: string): Promise<string[]> {
  let paths = [root];
  for (const segment of pattern.split("/").filter((name) => name !== "")) {
    const found = await Promise.all(paths.map((path) => entriesLike(path, segment)));
    paths = found.flat().slice(0, MAX_PATHS);
  }
  return paths;
}

async function entriesLike(folder: string, segment: string): Promise<string[]> {
  if (!segment.includes("*")) return [join(folder, segment)];
  const [before = "", ...after] = segment.split("*");
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => fits(name, before, after)).map((name) => join(folder, name));
}

function fits(name: string, before: string, after: readonly string[]): boolean {
  if (!name.startsWith(before)) return false;
  let at = before.length;
  for (const part of after.slice(0, -1)) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  const last = after.at(-1) ?? "";
  return name.length - last.length >= at && name.endsWith(last);
}
