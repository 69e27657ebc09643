/**
 * Whether another user of the system could start a program: every folder on the way must let others in.
 * A server whose data or whose Python lies in a private home cannot run commands as somebody else.
 */
import { realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute } from "node:path";

const OTHERS_EXECUTE = 0o001;
const OTHERS_READ = 0o004;

/** True when each absolute path on a command line is open to all, links resolved. */
export async function isOpenToOthers(argv: readonly string[]): Promise<boolean> {
  for (const word of argv.filter(isAbsolute)) {
    if (!(await isPathOpen(word))) return false;
  }
  return true;
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
