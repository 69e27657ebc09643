/**
 * The OS user a coding agent's program runs as. If the server is root, it is a user id for the session's owner, with
 * its own home, so a program can never access more than that user. If the server cannot switch users, a program with
 * its own tools has the server's rights, so it runs only for people who have those anyway.
 */
import { chmod, lstat, mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import {
  allowTraversal,
  type HarnessRequest,
  isOpenToOthers,
  type KeyRecord,
  LOCAL_USER,
  prepareUserHome,
  uidIn,
} from "@capstan/runtime";

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

/** How a program finds its login. */
export interface HarnessLogin {
  readonly variables: readonly string[];
  /** In a home: `~/.claude/.credentials.json`. */
  readonly files: readonly string[];
}

export interface HarnessUserParts {
  readonly dataDir: string;
  /** Where the sessions' folders are. */
  readonly folder: string;
  /** Whether this server can start a program as another user. */
  readonly changesUser: () => Promise<boolean>;
  /** Programs that the operator lets run as the server, with its login, as long as they have no tools of their own. */
  readonly asServer: readonly string[];
  /** The operator lets everyone's programs run with the server's rights where it cannot change users. */
  readonly allowsUnseparated: boolean;
  readonly keysOf: (email: string) => Promise<readonly Pick<KeyRecord, "rights" | "revoked">[]>;
  readonly loginOf: (harness: string) => Promise<HarnessLogin>;
  /** Set for organisations after the first: programs run only as their own users, without their own tools. */
  readonly organisation?: string | undefined;
  /** What programs may see a part of; its HOME is the server's. */
  readonly environment: Readonly<Record<string, string>>;
}

export function harnessUsers(parts: HarnessUserParts): HarnessUsers {
  return {
    async userFor({ agent, userEmail }, harness, command) {
      const hasTools = agent.spec.allowNativeTools;
      const changesUser = await parts.changesUser();
      const inside = refuseInOrganisation(parts, { harness, hasTools, changesUser });
      if (!inside.ok) return inside;
      if (!changesUser) return asServer(parts, { harness, userEmail, hasTools });
      if (!hasTools && parts.asServer.includes(harness)) return ok(undefined);
      return asUser(parts, { harness, userEmail, command });
    },
  };
}

async function asUser(
  parts: HarnessUserParts,
  { harness, userEmail, command }: { harness: string; userEmail: string; command: string | undefined },
): Promise<Result<HarnessUser>> {
  const closed = await closedPath(parts, command);
  if (closed !== undefined) return fail("harness_not_separated", { harness, path: closed });
  const uid = uidIn(parts, userEmail);
  const home = await prepareUserHome(parts.dataDir, { email: userEmail, capability: "harness", uid });
  if (!home.ok) return home;
  const login = await reachableLogin(parts, harness, home.value.home);
  return login.ok ? ok({ user: { uid, gid: uid }, home: home.value.home }) : login;
}

/** As the server a program would reach every organisation's files; with its own tools, the machine's network. */
function refuseInOrganisation(
  { organisation }: HarnessUserParts,
  { harness, hasTools, changesUser }: { harness: string; hasTools: boolean; changesUser: boolean },
): Result<true> {
  if (organisation === undefined || (changesUser && !hasTools)) return ok(true);
  return fail("organisation_harness_refused", {
    harness,
    why: changesUser
      ? "its own tools would reach the machine's network"
      : "this server is not root, so it would run with the rights of the server itself",
  });
}

/** Where the server cannot change users. */
async function asServer(
  parts: HarnessUserParts,
  { harness, userEmail, hasTools }: { harness: string; userEmail: string; hasTools: boolean },
): Promise<Result<undefined>> {
  if (!hasTools || parts.allowsUnseparated || (await hasServersRights(parts, userEmail)))
    return ok(undefined);
  return fail("harness_unseparated", { harness, user: userEmail });
}

/** Whether everyone who can start a run in this user's name is an admin. */
async function hasServersRights({ keysOf }: HarnessUserParts, email: string): Promise<boolean> {
  const active = (await keysOf(email)).filter(
    ({ rights, revoked }) => !revoked && rights.some((right) => right !== "read"),
  );
  const admins = active.filter(({ rights }) => rights.includes("admin"));
  return admins.length === active.length && (email === LOCAL_USER || admins.length > 0);
}

/** The first of the two that another OS user cannot reach. */
async function closedPath(
  { dataDir, folder, organisation }: HarnessUserParts,
  command: string | undefined,
): Promise<string | undefined> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await allowTraversal(dataDir);
  if (organisation !== undefined) await openWayTo(dataDir);
  await chmod(folder, 0o755);
  if (!(await isOpenToOthers([folder]))) return folder;
  return command === undefined || (await isOpenToOthers([command])) ? undefined : command;
}

/** `<data folder>/organisations/<id>`: others pass through both above it, and list neither. */
async function openWayTo(dataDir: string): Promise<void> {
  const all = dirname(dataDir);
  for (const name of await readdir(all)) {
    const path = join(all, name);
    if (((await lstat(path)).mode & 0o066) !== 0) await chmod(path, 0o700); // created by an older version
  }
  await chmod(all, 0o711);
  await allowTraversal(dirname(all));
}

/** A login in the server's own home is not the user's; the program would only say that it has none. */
async function reachableLogin(
  { loginOf, environment }: HarnessUserParts,
  harness: string,
  home: string,
): Promise<Result<true>> {
  const { variables, files } = await loginOf(harness);
  if (variables.some((name) => (environment[name] ?? "") !== "")) return ok(true);
  const some = async (folder: string) => {
    const found = files.map((file) => lstat(file.replace(/^~/, folder)).catch(() => undefined));
    return (await Promise.all(found)).some((each) => each !== undefined);
  };
  const isApart = !(await some(home)) && (await some(environment.HOME ?? ""));
  return isApart ? fail("harness_login_apart", { harness, variables }) : ok(true);
}
