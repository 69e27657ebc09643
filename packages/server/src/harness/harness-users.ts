/**
 * The user a coding agent's program runs as. One that keeps its own tools can read and run whatever its user can, so it runs under
 * the user id of the session's owner, with its own home. Without its own tools it only has the gate, and runs
 * as the server, with the server's login.
 */
import { chmod, mkdir } from "node:fs/promises";
import { fail, ok, type Result } from "@capstan/core";
import { type HarnessRequest, isOpenToOthers, prepareUserHome, uidFor } from "@capstan/runtime";

export interface HarnessUser {
  readonly user: { readonly uid: number; readonly gid: number };
  readonly home: string;
}

export interface HarnessUsers {
  /** Undefined: as the server. A refusal where the program must not run as the server and cannot run as another user. */
  userFor(
    request: Pick<HarnessRequest, "agent" | "userEmail">,
    harness: string,
    command: string | undefined,
  ): Promise<Result<HarnessUser | undefined>>;
}

export interface HarnessUserParts {
  readonly dataDir: string;
  /** Where the sessions' folders are. */
  readonly folder: string;
  /** Only root can switch users. */
  readonly isRoot: boolean;
}

export function harnessUsers({ dataDir, folder, isRoot }: HarnessUserParts): HarnessUsers {
  return {
    async userFor({ agent, userEmail }, harness, command) {
      if (!isRoot || !agent.spec.allowNativeTools) return ok(undefined);
      const closed = await closedPath(folder, command);
      if (closed !== undefined) return fail("harness_not_separated", { harness, path: closed });
      const uid = uidFor(userEmail);
      const home = await prepareUserHome(dataDir, { email: userEmail, capability: "harness", uid });
      return home.ok ? ok({ user: { uid, gid: uid }, home: home.value.home }) : home;
    },
  };
}

/** The first of the two that another OS user cannot reach. */
async function closedPath(folder: string, command: string | undefined): Promise<string | undefined> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await chmod(folder, 0o755);
  if (!(await isOpenToOthers([folder]))) return folder;
  return command === undefined || (await isOpenToOthers([command])) ? undefined : command;
}
