/**
 * Node for commands that run as another user, where the server's own is closed to others (installed under umask 077, or in a
 * private home): copied once into the data folder, by its hash, and mounted where the original would be. The operator's
 * files keep their modes.
 */
import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, copyFile, mkdir, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";

const OTHERS_EXECUTE = 0o001;
const OTHERS_READ = 0o004;
const OPEN_PROGRAM = 0o755;

export interface Reach {
  readonly uid: number;
  readonly readable: readonly string[];
}

/** The copy that stands in for a program at its path; empty where others can run the program itself. */
export async function copiedRuntime(
  program: string,
  folder: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  const real = await realpath(program);
  if (folder === undefined || isOpen((await stat(real)).mode)) return new Map();
  const copy = await copyOnce(real, folder);
  return new Map([
    [program, copy],
    [real, copy],
  ]);
}

/** The first program or script of a command line that its user cannot read in the private file system. */
export async function firstUnreadable(
  argv: readonly string[],
  { uid, readable }: Reach,
): Promise<string | undefined> {
  for (const word of argv) {
    const given = readable.find((path) => word === path || word.startsWith(`${path}/`));
    if (given !== undefined && !(await isReadable(word, given, uid))) return word;
  }
  return undefined;
}

/** Leaves out closed folders around a copy: others can use nothing in them, and they would hide the copy. */
export async function withoutClosedAbove(
  readable: readonly string[],
  copied: readonly string[],
): Promise<readonly string[]> {
  const kept = await Promise.all(
    readable.map(async (path) => {
      if (!copied.some((program) => program.startsWith(`${path}/`))) return true;
      const found = await stat(path).catch(() => undefined);
      return !found || (found.mode & OTHERS_EXECUTE) !== 0;
    }),
  );
  return readable.filter((_, at) => kept[at]);
}

/** Parents of what was given are made by us and open; what is below it keeps its modes. */
async function isReadable(path: string, given: string, uid: number): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    const found = await stat(at).catch(() => undefined);
    if (!found) return true; // a missing program is an outcome of the command
    const needed = found.isDirectory() ? OTHERS_EXECUTE : OTHERS_READ;
    if (found.uid !== uid && (found.mode & needed) === 0) return false;
    if (at === given) return true;
  }
}

/** Copies that are made at the same moment do not meet: each has its own name until it is whole. */
async function copyOnce(program: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const copy = join(folder, await hashOf(program));
  const existing = await stat(copy).catch(() => undefined);
  if (existing && isOpen(existing.mode)) return copy;
  const started = `${copy}.${randomUUID()}`;
  try {
    await copyFile(program, started);
    await chmod(started, OPEN_PROGRAM);
    await rename(started, copy);
  } finally {
    await rm(started, { force: true });
  }
  return copy;
}

const hashes = new Map<string, string>();

/** A program is hashed once per process; its size and time tell whether it was replaced. */
async function hashOf(program: string): Promise<string> {
  const { size, mtimeMs } = await stat(program);
  const key = `${program} ${size} ${mtimeMs}`;
  const known = hashes.get(key);
  if (known !== undefined) return known;
  const hash = createHash("sha256");
  await pipeline(createReadStream(program), hash);
  const digest = hash.digest("hex");
  hashes.set(key, digest);
  return digest;
}

const isOpen = (mode: number): boolean => (mode & OTHERS_READ) !== 0 && (mode & OTHERS_EXECUTE) !== 0;
