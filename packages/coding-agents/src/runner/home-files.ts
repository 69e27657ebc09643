/**
 * Files in the home of the user a run is for. If that is another OS user, every step is taken as that user: their
 * programs own the home and may have put a link in it, which a server running as root must not follow.
 */
import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const MAX_OUTPUT_BYTES = 16_000_000; // a settings file, or the names in a folder
const STEP_TIMEOUT_MS = 60_000;

export interface HomeFiles {
  /** Undefined when it cannot be read. */
  read(path: string): Promise<string | undefined>;
  /** None when it is no folder. */
  names(folder: string): Promise<readonly string[]>;
  makeFolder(path: string): Promise<void>;
  /** A file or a folder, with its name, into a folder; links stay links. */
  copyInto(from: string, name: string, folder: string): Promise<void>;
}

export const OWN_HOME: HomeFiles = {
  read: (path) => readFile(path, "utf8").catch(() => undefined),
  names: (folder) => readdir(folder).catch(() => []),
  makeFolder: async (path) => void (await mkdir(path, { recursive: true, mode: 0o700 })),
  copyInto: (from, name, folder) => cp(join(from, name), join(folder, name), { recursive: true }),
};

export function homeOf(user: { readonly uid: number; readonly gid: number }): HomeFiles {
  const asUser = async (command: string, ...args: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(command, [...args], {
      ...user,
      cwd: "/",
      env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
      maxBuffer: MAX_OUTPUT_BYTES,
      timeout: STEP_TIMEOUT_MS,
    });
    return stdout;
  };
  return {
    read: (path) => asUser("cat", path).catch(() => undefined),
    names: async (folder) => {
      const found = asUser("find", folder, "-mindepth", "1", "-maxdepth", "1", "-print0");
      const paths = (await found.catch(() => "")).split("\0").filter((path) => path !== "");
      return paths.map((path) => path.slice(folder.length + 1));
    },
    makeFolder: async (path) => void (await asUser("mkdir", "-p", "-m", "700", path)),
    copyInto: async (from, name, folder) => void (await asUser("cp", "-R", "-P", join(from, name), folder)),
  };
}
