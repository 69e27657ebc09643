/**
 * Runs a server from an environment until it is asked to stop; prints its address, or why it did not start. What it returns
 * is called once, when the start is over.
 */

import { settleStore, useProxies } from "@capstan/runtime";
import { loadConfig } from "../settings/load-config.ts";
import { openLog } from "../settings/log.ts";
import { parseSettings, secretValues } from "../settings/settings.ts";
import { greeting } from "./greeting.ts";
import { checkOpenFiles } from "./open-files.ts";
import { releaseStartMemory } from "./release-start-memory.ts";
import { startServer } from "./serve.ts";

export async function runServer(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<() => Promise<void>> {
  ignoreLostOutput();
  const files = checkOpenFiles();
  if (!files.ok) stop(files.failure);
  const settings = parseSettings(environment);
  if (!settings.ok) stop(settings.failure);
  const log = openLog(
    (line) => process.stderr.write(`${line}\n`),
    !process.stderr.isTTY,
    secretValues(settings.value),
  );
  useProxies(environment);
  const config = await loadConfig(process.cwd());
  if (!config.ok) stop(config.failure);
  const server = await startServer(settings.value, log, {
    config: config.value,
    environment: defined(environment),
  });
  if (!server.ok) stop(server.failure);
  stopWhenAsked(server.value.close);
  process.stdout.write(await greeting(server.value));
  const { database } = server.value.services;
  return () =>
    settleStore(database, releaseStartMemory).catch((error) => log.error({ what: "settling", error }));
}

/** A log that nobody reads any more (a closed pipe, a full disk) must not end the server. */
function ignoreLostOutput(): void {
  for (const output of [process.stdout, process.stderr]) output.on("error", () => {});
}

function stopWhenAsked(close: () => Promise<void>): void {
  let stopping = false;
  const stopOnce = async () => {
    if (stopping) return;
    stopping = true;
    await close();
    process.exit(0);
  };
  process.on("SIGINT", stopOnce);
  process.on("SIGTERM", stopOnce);
  // A closing terminal ends the server with its services. A detached server (nohup, a service manager) continues.
  const isAttached = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  process.on("SIGHUP", () => {
    if (isAttached) void stopOnce();
  });
}

function stop({ message, nextStep }: { message: string; nextStep: string }): never {
  process.stderr.write(`capstan: ${message}\n  ${nextStep}\n`);
  process.exit(1);
}

function defined(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
