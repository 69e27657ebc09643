/** The server to talk to: the one of CAPSTAN_URL, else the local one, started in the background when none answers. */

import { spawn } from "node:child_process";
import { mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Connection, connect } from "@capstan/client";

export interface ServerOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly say: (text: string) => void;
}

const WAIT_MS = 60_000; // the first start makes the database
const STEP_MS = 100;

export async function reachServer({ environment, say }: ServerOptions): Promise<Connection> {
  const { CAPSTAN_URL: given, CAPSTAN_KEY: key, PORT = "4400" } = environment;
  const url = given ?? `http://127.0.0.1:${PORT}`;
  const connection = connect({ url, ...(key && { key }) });
  if (given !== undefined || (await answers(connection))) return connection;
  say(`Starting a server on ${url} ...\n`);
  startInBackground(environment);
  for (let waited = 0; waited < WAIT_MS; waited += STEP_MS) {
    if (await answers(connection)) return connection;
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
  return connection; // the next call says that nothing answers, and what to do
}

async function answers(connection: Connection): Promise<boolean> {
  return (await connection.send("GET", "/ready", { signal: AbortSignal.timeout(2000) })).ok;
}

function startInBackground(environment: ServerOptions["environment"]): void {
  const dataDir = environment.CAPSTAN_DATA_DIR ?? "./.capstan";
  mkdirSync(dataDir, { recursive: true });
  const log = openSync(join(dataDir, "server.log"), "a");
  spawn(process.execPath, [serverEntry()], { detached: true, stdio: ["ignore", log, log] }).unref();
}

/** Resolved by name, not imported: the CLI works on a machine without the server. */
export function serverEntry(): string {
  return fileURLToPath(import.meta.resolve("@capstan/server/main"));
}
