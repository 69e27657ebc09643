/**
 * Separation of packages is never off without a word: a whole server as root and as an ordinary user, with and without the
 * namespaces it would use. The last two are made by taking the namespaces away from the server's process.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { SecurityLine } from "@capstan/client/wire";
import { describe, expect, test } from "vitest";
import { freshPglite } from "../../../../tools/stores-under-test.ts";

const isRoot = process.getuid?.() === 0;
const PROGRAM = fileURLToPath(new URL("../fixtures/separation-server.ts", import.meta.url));
const WITHOUT_SYSTEM_RIGHTS = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-all", "--"];
const ANOTHER = 12345;
const AS_ANOTHER = ["setpriv", `--reuid=${ANOTHER}`, `--regid=${ANOTHER}`, "--clear-groups", "--"];
const WITHOUT_NAMESPACES = [
  ...["unshare", "--user", "--map-current-user", "--keep-caps", "--", "/bin/sh", "-c"],
  'echo 0 >/proc/sys/user/max_user_namespaces || exit 1; exec setpriv --ambient-caps=-all --inh-caps=-all -- "$@"',
  "sh",
];
/** Root of a container that has no other user ids, as a rootless container may be. */
const ROOT_ALONE = [
  ...["unshare", "--user", "--map-root-user", "--", "/bin/sh", "-c"],
  'echo 0 >/proc/sys/user/max_user_namespaces || exit 1; exec "$@"',
  "sh",
];

interface Said {
  readonly notIsolated: readonly string[];
  readonly installed: number;
  readonly called: unknown;
  readonly carried: unknown;
  readonly security: readonly SecurityLine[];
}

const execute = promisify(execFile);

async function look(around: readonly string[], dataDir: string, ...options: string[]): Promise<Said> {
  const [command = "", ...args] = [...around, process.execPath, PROGRAM, dataDir, ...options];
  const { NODE_COMPILE_CACHE = "" } = process.env; // loading the server is most of what a look costs
  const { stdout } = await execute(command, args, {
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", NODE_COMPILE_CACHE },
  });
  return JSON.parse(stdout);
}

async function lookAsRoot(around: readonly string[]): Promise<Said> {
  const { dataDir, drop } = await freshPglite();
  return look(around, dataDir).finally(drop);
}

async function lookAsOrdinaryUser(around: readonly string[], ...options: string[]): Promise<Said> {
  const { dataDir, drop } = await freshPglite();
  if (isRoot) await execute("chown", ["-R", `${ANOTHER}:${ANOTHER}`, dataDir]);
  return look([...(isRoot ? AS_ANOTHER : []), ...around], dataDir, ...options).finally(drop);
}

const lineOf = ({ security }: Said, words: RegExp) => security.find(({ what }) => words.test(what));
/** A command whose network cannot be limited to the provider's hosts gets no account, and does not run. */
const NOT_LIMITED = "connection_not_limited";
const NOTHING = { shadow: 0, secret: 0 };

describe.runIf(process.platform === "linux")(
  "a package would read the server's files and be its admin",
  () => {
    test.runIf(isRoot)("on a server that is root", async () => {
      const said = await lookAsRoot([]);
      expect(said.called).toMatchObject({ ...NOTHING, keys: 0 });
      expect(said.carried).toEqual({ got: true });
      expect(lineOf(said, /isolated from the server/)).toMatchObject({ holds: true });
      expect(lineOf(said, /no other port/)).toMatchObject({ holds: true });
    });

    test.runIf(isRoot)(
      "on a server that is root in a container without namespaces, which says what is missing and gives it no account",
      async () => {
        const said = await lookAsRoot(WITHOUT_SYSTEM_RIGHTS);
        expect(said.called).toMatchObject({ ...NOTHING, keys: 401 });
        expect(lineOf(said, /isolated from the server/)).toMatchObject({
          holds: true,
          detail: "by another user id",
        });
        expect(lineOf(said, /no other port/)).toMatchObject({ holds: false, next_step: expect.any(String) });
        expect(said.carried).toBe(NOT_LIMITED);
        expect(said.notIsolated.join(" ")).toMatch(/mount namespace.*network of a package cannot be limited/);
      },
    );

    test("on a server that is an ordinary user", async () => {
      const said = await lookAsOrdinaryUser([]);
      expect(said.called).toMatchObject({ ...NOTHING, keys: 0 });
      expect(said.carried).toEqual({ got: true });
      expect(lineOf(said, /isolated from the server/)).toMatchObject({ holds: true });
    });

    test("on an ordinary user's server without namespaces: it does not run, and everything says why", async () => {
      const said = await lookAsOrdinaryUser(WITHOUT_NAMESPACES);
      expect(said.called).toBe("package_not_separated");
      expect(said.carried).toBe("package_not_separated");
      expect(lineOf(said, /isolated from the server/)).toMatchObject({
        holds: false,
        next_step: expect.any(String),
      });
      expect(said.notIsolated[0]).toMatch(/cannot isolate packages.*none of them runs/);
    });

    test("on a server that is root where there is no other user, which says so of the sandbox, too", async () => {
      const said = await lookAsOrdinaryUser(ROOT_ALONE);
      expect(said.called).toBe("package_not_separated");
      expect(lineOf(said, /isolated from the server/)).toMatchObject({ holds: false });
      expect(lineOf(said, /^the sandbox/)).toMatchObject({
        holds: false,
        detail: expect.stringContaining("no other user ids"),
      });
    });

    test("when the operator allowed it all the same: review and status say so, and it gets no account of a user", async () => {
      const said = await lookAsOrdinaryUser(WITHOUT_NAMESPACES, "--allow");
      expect(said.called).toMatchObject({ secret: 29 });
      expect(said.carried).toBe(NOT_LIMITED);
      expect(said.notIsolated[0]).toContain("CAPSTAN_ALLOW_UNSEPARATED_PACKAGES");
      expect(lineOf(said, /isolated from the server/)).toMatchObject({
        holds: false,
        detail: expect.stringContaining("CAPSTAN_ALLOW_UNSEPARATED_PACKAGES"),
      });
    });
  },
);
