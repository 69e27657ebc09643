/** A server in a separate process, to be killed, stopped and restarted in tests. One engine per process. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { bareEnvironment } from "./bare-environment.ts";
import type { FreshStore } from "./stores-under-test.ts";
import { type Answer, callServer } from "./test-server.ts";
import { noteSaid } from "./token-search.ts";

const MAIN = fileURLToPath(new URL("../packages/server/src/main.ts", import.meta.url));
const START_MS = 60_000;

export interface ServerProcess {
  readonly url: string;
  readonly child: ChildProcess;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Everything it wrote to stderr so far. */
  log(): string;
  /** Ends it with this signal and waits until it is gone. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** One that may not be up yet, or never. */
export interface SpawnedServer extends Pick<ServerProcess, "child" | "log" | "end"> {
  readonly ready: Promise<ServerProcess>;
}

type Place = Pick<FreshStore, "dataDir" | "url">;

export const serverProcess = (
  store: Place,
  environment: Record<string, string> = {},
  cwd?: string,
): Promise<ServerProcess> => spawnServer(store, environment, cwd).ready;

export function spawnServer(
  store: Place,
  environment: Record<string, string> = {},
  cwd?: string,
  program: readonly string[] = [MAIN],
  command: (program: string, args: readonly string[]) => [string, string[]] = (node, args) => [
    node,
    [...args],
  ],
): SpawnedServer {
  const child = spawn(...command(process.execPath, program), {
    env: {
      ...bareEnvironment(),
      PORT: "0",
      CAPSTAN_DATA_DIR: store.dataDir,
      ...(store.url && { DATABASE_URL: store.url }),
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
    ...(cwd !== undefined && { cwd }),
  });
  let errors = "";
  child.stderr?.on("data", (bytes) => {
    errors += bytes;
    noteSaid("log of a process", errors);
  });
  const log = () => errors;
  const end = async (signal: NodeJS.Signals = "SIGTERM") => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await gone;
  };
  const ready = greetedUrl(child, log).then((url) => ({
    url,
    child,
    log,
    end,
    call: (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      callServer(url + path, method, body, headers),
  }));
  return { child, log, end, ready };
}

function greetedUrl(child: ChildProcess, errors: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(
      () => reject(new Error(`no server after ${START_MS} ms: ${errors()}`)),
      START_MS,
    );
    child.once("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with ${code}: ${errors()}`));
    });
    child.stdout?.on("data", (bytes) => {
      text += bytes;
      const found = /open\s+(http:\S+)/.exec(text);
      if (!found?.[1]) return;
      clearTimeout(timer);
      resolve(found[1]);
    });
  });
}
