/**
 * A user's folder, which is HOME for commands and services: `<data>/users/{email}`. A capability stores its data in
 * `~/capabilities/{name}`; `~/{name}` is a link to it, because the specification's examples use it.
 */
import { lstat, mkdir, readlink, rm, rmdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import { UserEmail } from "@capstan/core/internal";
import { makePassage } from "../commands/open-to-others.ts";
import { OpenFolder } from "../files/open-folder.ts";

export interface UserHome {
  readonly home: string;
  readonly capabilityFolder: string;
}

export async function prepareUserHome(
  dataDir: string,
  { email, capability, uid }: { email: string; capability: string; uid?: number | undefined },
): Promise<Result<UserHome>> {
  if (!UserEmail.safeParse(email).success)
    return fail("input_invalid", { where: `"${email}" is not an e-mail address` });
  const home = join(dataDir, "users", email);
  const capabilityFolder = join(home, "capabilities", capability);
  await makePassage(join(dataDir, "users"));
  for (const folder of [home, join(home, "capabilities"), capabilityFolder, join(home, "sessions")]) {
    if (!(await makeFolder(folder, uid))) {
      return fail("package_broken", { name: capability, why: `${folder} is not a folder` });
    }
  }
  const link = join(home, capability);
  if (!(await lstat(link).catch(() => undefined))) {
    await symlink(join("capabilities", capability), link).catch(ignoreExisting);
  }
  return ok({ home, capabilityFolder });
}

/**
 * The user's commands own these folders and could replace them by links; as root we must not follow one. A home
 * created while the server itself ran the commands is given to the user, or their next command could not enter it.
 */
async function makeFolder(folder: string, uid: number | undefined): Promise<boolean> {
  const made = await mkdir(folder, { mode: 0o700 }).then(() => true, ignoreExisting);
  const opened = await OpenFolder.open(folder);
  if (!opened) return false;
  const server = process.getuid?.();
  if (uid !== undefined && server !== undefined && (made || (await opened.owner()) === server)) {
    await opened.giveTo(uid, server);
  }
  await opened.close();
  return true;
}

/** Removes the links and empty folders of an uninstalled capability; user data is kept and listed. */
export async function forgetCapability(
  dataDir: string,
  emails: readonly string[],
  capability: string,
): Promise<string[]> {
  const kept: string[] = [];
  for (const email of emails) {
    const home = join(dataDir, "users", email);
    const link = join(home, capability);
    if ((await readlink(link).catch(() => undefined)) === join("capabilities", capability)) await rm(link);
    const folder = join(home, "capabilities", capability);
    if (!(await lstat(folder).catch(() => undefined))) continue;
    await rmdir(folder).catch(() => kept.push(folder));
  }
  return kept;
}

/** Two calls of one user may prepare the same home concurrently. */
function ignoreExisting(error: NodeJS.ErrnoException): false {
  if (error.code !== "EEXIST") throw error;
  return false;
}
