/**
 * Whom a coding agent's program runs as. One that keeps its own tools can read and start what its user can, so it runs under
 * the user id of the session's owner, in a home of their own. Without tools of its own it has nothing but the gate, and runs
 * as the server does, with the server's login.
 */
import { chmod, mkdir } from "node:fs/promises";
import { fail, ok, type Result } from "@capstan/core";
import { type HarnessRequest, isOpenToOthers, prepareUserHome, uidFor } from "@capstan/runtime";

export interface HarnessUser {
  readonly user: { readonly uid: number; readonly gid: number };
  readonly home: string;
}

export interface HarnessUsers {
  /** Undefined: as the server. A refusal where the program must not run as the server and cannot run as another. */
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
  /** Only root can become somebody else. */
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

/** The first of the two that another user of the machine cannot reach. */
async function closedPath(folder: string, command: string | undefined): Promise<string | undefined> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await chmod(folder, 0o755);
  if (!(await isOpenToOthers([folder]))) return folder;
  return command === undefined || (await isOpenToOthers([command])) ? undefined : command;
}
