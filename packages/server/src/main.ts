/** `npm start`: reads the environment, starts the server, says where it is, and stops it when asked. */

import { greeting } from "./greeting.ts";
import { loadConfig } from "./load-config.ts";
import { openLog } from "./log.ts";
import { startServer } from "./serve.ts";
import { parseSettings, secretValues } from "./settings.ts";

const settings = parseSettings(process.env);
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
  environment: defined(process.env),
});
if (!server.ok) stop(server.failure);
process.stdout.write(await greeting(server.value));

let stopping = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, async () => {
    if (stopping) return;
    stopping = true;
    await server.value.close();
    process.exit(0);
  });
}

function stop({ message, nextStep }: { message: string; nextStep: string }): never {
  process.stderr.write(`capstan: ${message}\n  ${nextStep}\n`);
  process.exit(1);
}

function defined(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
