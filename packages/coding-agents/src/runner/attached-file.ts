/**
 * One attachment that arrives as a path: read once, links resolved, through the file that was checked.
 *
 * A caller on another machine reaches the run's folder and nothing else; one on this machine may name any file of its own.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import { MAX_ATTACHMENT_BYTES } from "@capstan/core/internal";

export interface AttachedTo {
  readonly agent: string;
  readonly cwd: string;
  /** Paths only from the folder. */
  readonly confined: boolean;
}

export interface AttachedFile {
  /** Links resolved. */
  readonly path: string;
  readonly bytes: Buffer;
  readonly isInside: boolean;
}

/** The file, or why it cannot be attached, as text for people. */
export function attachedFile({ cwd, confined }: AttachedTo, path: string): AttachedFile | string {
  const real = realPath(resolve(cwd, path));
  const root = realPath(cwd);
  const isInside = root !== undefined && real?.startsWith(root.endsWith(sep) ? root : root + sep) === true;
  if (confined && !isInside) return "it is not in the folder that the agent works in"; // whether it exists is not revealed
  if (real === undefined) return "there is no such file";
  const bytes = bytesOf(real);
  return typeof bytes === "string" ? bytes : { path: real, bytes, isInside };
}

function bytesOf(path: string): Buffer | string {
  let file: number | undefined;
  try {
    // Opening a pipe would block, and a link created since must not be followed.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const info = fstatSync(file);
    if (!info.isFile()) return "it is no file";
    if (info.size > MAX_ATTACHMENT_BYTES)
      return `it has ${info.size} bytes, and at most ${MAX_ATTACHMENT_BYTES} can be attached`;
    return readFileSync(file);
  } catch {
    return "it cannot be read";
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
