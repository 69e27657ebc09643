/** A project folder as archive files: anything that is not source is left out, and a link to the outside is refused. */
import { lstat, readdir, readFile, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import { ARCHIVE_LIMITS, type ArchiveFile, type ArchiveLimits } from "@capstan/core/internal";

const LEFT_OUT = new Set([
  "node_modules",
  ".git",
  ".venv",
  "venv",
  "__pycache__",
  ".capstan",
  "dist",
  "build",
  ".pytest_cache",
]);

/** Whether a file or folder of this name is no part of a project's sources. */
export const isLeftOut = (name: string): boolean => LEFT_OUT.has(name);

export async function readFolder(
  folder: string,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): Promise<Result<ArchiveFile[]>> {
  const root = await realpath(folder);
  const files: ArchiveFile[] = [];
  let totalBytes = 0;
  for await (const path of walk(root)) {
    const target = await insideOf(root, path);
    if (target === undefined) {
      return fail("archive_refused", {
        why: `${relative(root, path)} is a link to outside the folder`,
      });
    }
    const stat = await lstat(target);
    if (!stat.isFile()) continue;
    totalBytes += stat.size;
    if (totalBytes > limits.maxTotalBytes || files.length >= limits.maxFiles) {
      return fail("archive_refused", {
        why: `the folder has more than ${limits.maxTotalBytes} bytes or ${limits.maxFiles} files`,
      });
    }
    const bytes = await readFile(target);
    files.push({
      path: relative(root, path).split(sep).join("/"),
      bytes,
      executable: (stat.mode & 0o111) !== 0,
    });
  }
  return ok(files.sort((a, b) => (a.path < b.path ? -1 : 1)));
}

/** Everything but folders. Links to folders are not followed: they could form a cycle. */
async function* walk(folder: string): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (isLeftOut(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else yield path;
  }
}

/** The resolved path, or undefined when it is outside. */
async function insideOf(root: string, path: string): Promise<string | undefined> {
  const target = await realpath(path).catch(() => undefined);
  return target?.startsWith(root + sep) ? target : undefined;
}
