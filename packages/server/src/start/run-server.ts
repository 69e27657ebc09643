/** From an environment to a server that runs until it is asked to stop; it says where it is, or why it is not. */

import { loadConfig } from "../settings/load-config.ts";
import { openLog } from "../settings/log.ts";
import { parseSettings, secretValues } from "../settings/settings.ts";
import { greeting } from "./greeting.ts";
import { startServer } from "./serve.ts";

export async function runServer(environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  const settings = parseSettings(environment);
  if (!settings.ok) stop(settings.failure);
  const log = openLog(
    (line) => process.stderr.write(`${line}\n`),
    !process.stderr.isTTY,
    secretValues(settings.value),
  );
  const config = await loadConfig(process.cwd());
  if (!config.ok) stop(config.failure);
  const server = await startServer(settings.value, log, {
    config: config.value,
    environment: defined(environment),
  });
  if (!server.ok) stop(server.failure);
  stopWhenAsked(server.value.close);
  process.stdout.write(await greeting(server.value));
}

function stopWhenAsked(close: () => Promise<void>): void {
  let stopping = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, async () => {
      if (stopping) return;
      stopping = true;
      await close();
      process.exit(0);
    });
  }
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
