/** The server to use: the one of CAPSTAN_URL, otherwise the local one, started in the background if none answers. */

import { spawn } from "node:child_process";
import { mkdirSync, openSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Api, createApi } from "@capstan/client";
import { localTokenFile, loopbackPort } from "@capstan/core/internal";
import { readLogin } from "./stored-login.ts";

export interface ServerOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly say: (text: string) => void;
}

const WAIT_MS = 60_000; // the first start creates the database
const STEP_MS = 100;

export async function reachServer({ environment, say }: ServerOptions): Promise<Api> {
  const given = filled(environment.CAPSTAN_URL);
  const url = given ?? `http://127.0.0.1:${filled(environment.PORT) ?? "4400"}`;
  const reach = () => {
    const key =
      filled(environment.CAPSTAN_KEY) ??
      readLogin(url, environment)?.token ??
      ownerToken(url, dataDirOf(environment)) ??
      localToken(url);
    const organisation = filled(environment.CAPSTAN_ORGANISATION);
    return createApi({ url, organisation, ...(key !== undefined && { key }) });
  };
  const api = reach();
  if (given !== undefined || (await answers(api))) return api;
  say(`Starting a server on ${url} ...\n`);
  const started = startInBackground(environment);
  for (let waited = 0; waited < WAIT_MS; waited += STEP_MS) {
    if (await answers(api)) {
      say(
        `It keeps running in the background (process ${started.pid}, log ${started.log}); stop it with \`kill ${started.pid}\`.\n`,
      );
      return reach(); // it may have written a token by now
    }
    if (started.hasEnded()) {
      say(`It exited immediately; ${started.log} says:\n${lastLines(started.log)}\n`);
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
  return api; // the next call reports that nothing answers, and what to do
}

/** The token that a server on this machine writes for its own user where the system does not tell who connects. */
function localToken(url: string): string | undefined {
  const port = loopbackPort(url);
  if (port === undefined) return undefined;
  try {
    return readFileSync(localTokenFile(homedir(), port), "utf8");
  } catch {
    return undefined; // the system tells, or nothing runs here
  }
}

/** An empty variable counts as unset, as in shells and compose files. */
const filled = (value: string | undefined): string | undefined => value?.trim() || undefined;

const dataDirOf = ({ CAPSTAN_DATA_DIR }: ServerOptions["environment"]): string =>
  filled(CAPSTAN_DATA_DIR) ?? "./.capstan";

/** The token that a server with required keys writes for the owner of its data folder; only sent to this machine. */
function ownerToken(url: string, dataDir: string): string | undefined {
  if (loopbackPort(url) === undefined) return undefined;
  try {
    return readFileSync(join(dataDir, "owner-token"), "utf8").trim();
  } catch {
    return undefined; // missing, or not readable: then this user is not the owner
  }
}

const SHOWN_LINES = 6;

const lastLines = (file: string): string =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .slice(-SHOWN_LINES)
    .map((line) => `  ${line}`)
    .join("\n");

async function answers({ server }: Api): Promise<boolean> {
  return (await server.ready(AbortSignal.timeout(2000))).ok;
}

function startInBackground(environment: ServerOptions["environment"]) {
  const dataDir = dataDirOf(environment);
  mkdirSync(dataDir, { recursive: true });
  const log = join(dataDir, "server.log");
  const output = openSync(log, "a");
  const server = spawn(process.execPath, [serverEntry()], {
    detached: true,
    stdio: ["ignore", output, output],
    env: environment,
  });
  server.unref();
  return { log, pid: server.pid, hasEnded: () => server.exitCode !== null || server.signalCode !== null };
}

/** Resolved by name, not imported: the CLI works on a machine without the server. */
export function serverEntry(): string {
  return fileURLToPath(import.meta.resolve("@capstan/server/main"));
}
