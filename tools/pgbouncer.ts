/** A pgbouncer in transaction mode in front of a Postgres, as Debian packages it. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Pooler {
  readonly url: string;
  close(): Promise<void>;
}

export function hasPgbouncer(): boolean {
  try {
    execFileSync("pgbouncer", ["--version"], { stdio: "ignore" });
    return process.platform === "linux";
  } catch {
    return false;
  }
}

/** `servers`: how many connections of Postgres it shares out. */
export async function startPgbouncer(url: string, servers = 4): Promise<Pooler> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const folder = mkdtempSync(join(tmpdir(), "capstan-pgbouncer-"));
  chmodSync(folder, 0o777); // it refuses root and runs as another user
  const listenPort = await freePort();
  const users = join(folder, "users.txt");
  writeFileSync(users, `"${username}" "${decodeURIComponent(password)}"\n`, { mode: 0o644 });
  const config = join(folder, "pgbouncer.ini");
  writeFileSync(
    config,
    `[databases]\n* = host=${hostname} port=${port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${listenPort}\n` +
      `unix_socket_dir =\nauth_type = plain\nauth_file = ${users}\npool_mode = transaction\ndefault_pool_size = ${servers}\n` +
      "max_client_conn = 200\nignore_startup_parameters = extra_float_digits\n",
    { mode: 0o644 },
  );
  const asUser = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = spawn("pgbouncer", [...asUser, config], { stdio: "ignore" });
  await listening(listenPort, child);
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${listenPort}${pathname}`,
    async close() {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function listening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const answered = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => {
        socket.destroy();
        resolve(true);
      });
      socket.once("error", () => resolve(false));
    });
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`pgbouncer ended with ${child.exitCode}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
