/** Installs as root and as another user of the machine, in a process of its own, with a loopback registry. */
import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { InstallOrder } from "./install-in-process.ts";

const PROGRAM = fileURLToPath(new URL("./install-in-process.ts", import.meta.url));
const isRoot = process.getuid?.() === 0;

/** Who the server may be; without root only the latter. */
export const SERVERS = [
  { server: "root", drop: [], isHere: isRoot },
  {
    server: "another user",
    drop: isRoot ? ["setpriv", "--reuid=12345", "--regid=12345", "--clear-groups", "--"] : [],
    isHere: process.platform === "linux",
  },
].filter(({ isHere }) => isHere);

export interface InstallAnswer {
  readonly ok: boolean;
  readonly failure?: unknown;
  readonly value: {
    summary: string;
    resolved_dependencies: {
      name: string;
      version: string;
      hash: string;
      installed_as?: string;
      inside?: string;
    }[];
  };
}

export interface InstallPlace {
  /** Shared by all users. */
  readonly folder: string;
  readonly registryUrl: string;
  /** Only the server may read it. */
  readonly secret: string;
  readonly npmToken: string;
}

export async function installAs(
  drop: readonly string[],
  bytes: Uint8Array,
  { fileName, ...more }: Partial<InstallOrder> & { readonly fileName: string },
  { folder, registryUrl, secret, npmToken }: InstallPlace,
): Promise<InstallAnswer> {
  const work = mkdtempSync(join(folder, "run-"));
  chmodSync(work, 0o777);
  rmSync(join(folder, "data"), { recursive: true, force: true });
  const order: InstallOrder = {
    folder,
    archive: join(work, "archive"),
    fileName,
    secret,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: work,
      NPM_TOKEN: npmToken,
      npm_config_registry: registryUrl,
      PIP_INDEX_URL: `${registryUrl}simple/`,
    },
    ...more,
  };
  writeFileSync(order.archive, bytes, { mode: 0o644 });
  writeFileSync(join(work, "order.json"), JSON.stringify(order), { mode: 0o644 });
  const [command = "", ...args] = [...drop, process.execPath, PROGRAM, join(work, "order.json")];
  // Without root, the operator's Python must be one that this user can run.
  const path = drop.length > 0 ? `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin` : order.env.PATH;
  const env = { PATH: path ?? "", TMPDIR: work, HOME: work };
  const { stdout } = await promisify(execFile)(command, args, { env, maxBuffer: 1e8 });
  return JSON.parse(stdout) as InstallAnswer;
}
