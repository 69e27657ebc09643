/** A project folder as archive files: anything that is not source is left out, and a link to the outside is refused. */
import { readdir, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import { ARCHIVE_LIMITS, type ArchiveFile, type ArchiveLimits } from "@capstan/core/internal";
import { OpenFolder } from "../files/open-folder.ts";

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

/** Whether a file or folder of this name is not part of a project's sources. */
export const isLeftOut = (name: string): boolean => LEFT_OUT.has(name);

export async function readFolder(
  folder: string,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): Promise<Result<ArchiveFile[]>> {
  const root = await realpath(folder);
  const opened = await OpenFolder.open(root);
  if (!opened) return fail("archive_refused", { why: `${folder} is no folder` });
  try {
    return await readOpened(root, opened, limits);
  } finally {
    await opened.close();
  }
}

async function readOpened(
  root: string,
  opened: OpenFolder,
  limits: ArchiveLimits,
): Promise<Result<ArchiveFile[]>> {
  const files: ArchiveFile[] = [];
  let leftBytes = limits.maxTotalBytes;
  for await (const path of walk(root)) {
    const target = await insideOf(root, path);
    const own = relative(root, path).split(sep).join("/");
    if (target === undefined)
      return fail("archive_refused", { why: `${own} is a link to outside the folder` });
    const read = await readInside(opened, relative(root, target).split(sep), leftBytes);
    if (read === "no file") continue;
    if (read === "changed") return fail("archive_refused", { why: `${own} changed while it was read` });
    if (read === "too large" || files.length >= limits.maxFiles)
      return fail("archive_refused", {
        why: `the folder has more than ${limits.maxTotalBytes} bytes or ${limits.maxFiles} files`,
      });
    leftBytes -= read.bytes.length;
    files.push({ path: own, ...read });
  }
  return ok(files.sort((a, b) => (a.path < b.path ? -1 : 1)));
}

/** A file may be swapped for a link after it was checked, so from here on no link is followed. */
async function readInside(
  opened: OpenFolder,
  names: readonly string[],
  mostBytes: number,
): Promise<Omit<ArchiveFile, "path"> | "no file" | "changed" | "too large"> {
  const parent = await opened.below(names.slice(0, -1));
  if (!parent) return "changed";
  try {
    const name = names.at(-1) ?? "";
    const about = await parent.about(name);
    if (!about || about.kind === "link") return "changed";
    if (about.kind !== "file") return "no file";
    if (about.size > mostBytes) return "too large";
    const file = await parent.read(name, mostBytes);
    return file ? { bytes: file.bytes, executable: about.isExecutable } : "changed";
  } finally {
    await parent.close();
  }
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
