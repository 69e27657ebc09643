/**
 * Whether another OS user could run a program: every parent folder must be accessible to others.
 * Only matters where another user id is the only isolation; irrelevant with a private file system.
 */
import { chmod, lstat, mkdir, readdir, realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { OpenFolder } from "../files/open-folder.ts";

const OTHERS_EXECUTE = 0o001;
const OTHERS_READ = 0o004;
const OTHERS = 0o007;
const PASSAGE = 0o055;
/** The parts of the data folder that packages work in; each of them restricts access to one user's files. */
const PASSED_THROUGH = new Set([
  "packages",
  "work",
  "users",
  "services",
  "rt_triggers",
  "capabilities",
  "app_context",
  "harness",
  "organisations", // each in it is closed to others until its own programs pass through
]);

/** True when each absolute path on a command line is accessible to all, links resolved. */
export async function isOpenToOthers(argv: readonly string[]): Promise<boolean> {
  for (const word of argv.filter(isAbsolute)) {
    if (!(await isPathOpen(word))) return false;
  }
  return true;
}

/** Lets others pass through the data folder without listing it, after everything else in it is closed to them. */
export async function allowTraversal(dataDir: string): Promise<void> {
  const { mode, uid } = await stat(dataDir);
  if ((mode & OTHERS_EXECUTE) !== 0 || uid !== process.getuid?.()) return;
  for (const name of await readdir(dataDir)) {
    const path = join(dataDir, name);
    const about = await lstat(path);
    if (!PASSED_THROUGH.has(name) && !about.isSymbolicLink())
      await chmod(path, about.mode & ~OTHERS & 0o7777);
  }
  await chmod(dataDir, (mode & 0o7770) | OTHERS_EXECUTE);
}

/** A folder that users of programs pass through to what is theirs below it, whatever the server's umask is. */
export async function makePassage(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  if (process.getuid?.() !== 0) return;
  const { mode } = await stat(path);
  if ((mode & PASSAGE) !== PASSAGE) await chmod(path, (mode & 0o7777) | PASSAGE);
}

/** Lets users that programs run as read a folder that the server filled, whatever its umask is. Only root has such users. */
export async function letOthersRead(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const folder = await OpenFolder.open(path);
  await folder?.letOthersRead(0);
  await folder?.close();
}

async function isPathOpen(path: string): Promise<boolean> {
  const real = await realpath(path).catch(() => path);
  const own = await stat(real).catch(() => undefined);
  if (!own || (own.mode & OTHERS_READ) === 0) return false;
  for (let folder = dirname(real); ; folder = dirname(folder)) {
    const { mode } = await stat(folder);
    if ((mode & OTHERS_EXECUTE) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
