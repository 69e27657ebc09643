/** The three file operations that triggers are based on: rename if it exists, create if it does not, write atomically. */
import { randomUUID } from "node:crypto";
import { link, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

const isCode = (error: unknown, ...codes: string[]) =>
  codes.includes((error as NodeJS.ErrnoException).code ?? "");

/** False when the source is gone: someone else was first. The target's folder is created if it is missing. */
export async function moveIfThere(from: string, to: string): Promise<boolean> {
  if (await tryRename(from, to)) return true;
  await mkdir(dirname(to), { recursive: true });
  return tryRename(from, to);
}

/** ENOENT does not say which of the two is missing. */
async function tryRename(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (isCode(error, "ENOENT")) return false;
    throw error;
  }
}

/** Creates a file with its complete content atomically; false when it exists. */
export async function createWhole(path: string, content: string): Promise<boolean> {
  const partial = await writeAside(path, content);
  try {
    await link(partial, path);
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    await rm(partial, { force: true });
  }
}

/** Writes a file so that readers see the old or the new content, never a part. */
export async function writeWhole(path: string, content: string): Promise<void> {
  await rename(await writeAside(path, content), path);
}

const OWNER_ONLY = { mode: 0o600 }; // payloads belong to the user

/** The folder nearly always exists, so it is created only when writing fails. */
async function writeAside(path: string, content: string): Promise<string> {
  const partial = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(partial, content, OWNER_ONLY);
  } catch (error) {
    if (!isCode(error, "ENOENT")) throw error;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(partial, content, OWNER_ONLY);
  }
  return partial;
}
