/**
 * Reads a file in a place that others can write to. Links are not followed, and reading never blocks on a pipe or a device:
 * a `preferences.json` that is a pipe would block everyone's triggers.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { open } from "node:fs/promises";

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

export interface PlainFile {
  readonly bytes: Buffer;
  /** The change time, which a program cannot set back, unlike the modification time. */
  readonly changedAtMs: number;
  readonly modifiedAtMs: number;
}

/** `refused`: a link, a pipe, a device, a folder, larger than `maxBytes`, or not readable. */
export async function readPlainFile(path: string, maxBytes: number): Promise<PlainFile | "gone" | "refused"> {
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: NodeJS.ErrnoException) =>
    error.code === "ENOENT" ? ("gone" as const) : ("refused" as const),
  );
  if (typeof handle === "string") return handle;
  try {
    const about = await handle.stat();
    if (!about.isFile() || about.size > maxBytes) return "refused";
    const bytes = await handle.readFile();
    if (bytes.length > maxBytes) return "refused"; // it grew while being read
    return { bytes, changedAtMs: about.ctimeMs, modifiedAtMs: about.mtimeMs };
  } finally {
    await handle.close();
  }
}

/** Its text; undefined when it does not exist or was refused. */
export async function readPlainText(path: string, maxBytes: number): Promise<string | undefined> {
  const file = await readPlainFile(path, maxBytes);
  return typeof file === "string" ? undefined : file.bytes.toString("utf8");
}

/**
 * The same for the operator's own folders, at once. Links are followed there: a folder that Kubernetes mounts consists of
 * them. A pipe or a device is still refused, because reading it would block the whole server.
 */
export function readOperatorText(path: string, maxBytes: number): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, O_RDONLY | O_NONBLOCK);
    const about = fstatSync(descriptor);
    return about.isFile() && about.size <= maxBytes ? readFileSync(descriptor, "utf8") : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
