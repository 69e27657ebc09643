/** Writes a backup file line by line. It gets its final name only when complete; until then it is `<name>.partial`. */
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { fail, ok, type Result } from "@capstan/core";
import type { BackupLine } from "./backup-format.ts";

export interface WrittenArchive {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The caller provides the lines, except the last, which is added here: `counts` is called after all others. */
export async function writeArchive(
  path: string,
  lines: AsyncIterable<BackupLine>,
  counts: () => { rows: Record<string, number>; files: number },
): Promise<Result<WrittenArchive>> {
  const target = resolve(path);
  const partial = `${target}.partial`;
  const hash = createHash("sha256");
  let sha256 = "";
  async function* text(): AsyncGenerator<string> {
    let count = 0;
    for await (const line of lines) {
      const written = `${JSON.stringify(line)}\n`;
      hash.update(written);
      count++;
      yield written;
    }
    sha256 = hash.digest("hex");
    yield `${JSON.stringify({ is: "end", lines: count, sha256, ...counts() })}\n`;
  }
  try {
    if (await stat(target).catch(() => undefined)) return fail("backup_exists", { path });
    await mkdir(dirname(target), { recursive: true });
    await rm(partial, { force: true }); // of a backup that was interrupted
    // 0600 and new: it contains the installation's keys, and another user may have made a file or a link of that name.
    const file = createWriteStream(partial, { mode: 0o600, flags: "wx" });
    await pipeline(Readable.from(text(), { objectMode: true, highWaterMark: 1 }), createGzip(), file);
    await rename(partial, target);
    return ok({ path: target, bytes: (await stat(target)).size, sha256 });
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    if (!isFileError(error)) throw error;
    return fail("backup_unwritable", { path, why: error.code ?? error.message });
  }
}

const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === "string";
