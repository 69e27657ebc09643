/**
 * Files that git opens by their name while it looks through a folder: rules of what to ignore, and whatever a repository inside
 * contains. git would wait for ever for a pipe in their place, so such a folder is not shown to git.
 */
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, sep } from "node:path";

/** The first one that git might wait for. */
export async function waitingFile(folder: string): Promise<string | undefined> {
  const folders = [""];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const entries = await readdir(join(folder, at), { withFileTypes: true }).catch(() => []);
    const isInGit = at.split(sep).includes(".git");
    const waiting = entries.find((entry) => mayWait(entry, isInGit));
    if (waiting) return join(at, waiting.name);
    folders.push(...entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(at, name)));
  }
  return undefined;
}

/** In a repository git follows links, elsewhere it does not. */
function mayWait(entry: Dirent, isInGit: boolean): boolean {
  if (entry.isFile() || entry.isDirectory()) return false;
  return isInGit || entry.name === ".git" || (entry.name.startsWith(".git") && !entry.isSymbolicLink());
}
