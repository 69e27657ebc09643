/** `capstan.lock`: the accepted version and hash of each package of this project. Meant to be committed. */
import { readFile, rename, writeFile } from "node:fs/promises";
import { fail, ok, type Result } from "@capstan/core";
import { z } from "zod";

const Pin = z.object({
  kind: z.string(),
  version: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  origin: z.string(),
});
export type Pin = z.infer<typeof Pin>;

const LockFile = z.object({ lockfile_version: z.literal(1), packages: z.record(z.string(), Pin) });

export async function readLock(path: string): Promise<Result<Record<string, Pin>>> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    return ok({});
  }
  try {
    return ok(LockFile.parse(JSON.parse(text)).packages);
  } catch {
    return fail("lock_unreadable", { path });
  }
}

/** `undefined` removes the package. Written to a temporary file and renamed, so that a crash leaves the old file. */
export async function writePin(path: string, name: string, pin: Pin | undefined): Promise<Result<true>> {
  const read = await readLock(path);
  if (!read.ok) return read;
  const { [name]: _, ...others } = read.value;
  const all = pin ? { ...others, [name]: pin } : others;
  const packages = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  const partial = `${path}.${process.pid}.tmp`;
  await writeFile(partial, `${JSON.stringify({ lockfile_version: 1, packages }, null, 2)}\n`);
  await rename(partial, path);
  return ok(true);
}
