/** Writes archive files into a folder. Paths were validated when the archive was read; they are validated again here. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ArchiveFile, pathFault } from "@capstan/core/internal";

export async function writeFiles(folder: string, files: readonly ArchiveFile[]): Promise<void> {
  const made = new Set<string>();
  for (const { path, bytes, executable } of files) {
    const fault = pathFault(path);
    if (fault) throw new Error(`unchecked path: ${path} ${fault}`);
    const target = join(folder, path);
    const parent = dirname(target);
    if (!made.has(parent)) await mkdir(parent, { recursive: true });
    made.add(parent);
    await writeFile(target, bytes, { mode: executable ? 0o755 : 0o644, flag: "wx" });
  }
}
