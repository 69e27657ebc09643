/** Builds the studio if necessary, then starts the server: what `npm start` runs on a supported Node. */
import { buildStudio } from "./build-studio.ts";
import { builtServer } from "./built-server.ts";

const why = await buildStudio((text) => process.stdout.write(text));
if (why !== undefined)
  process.stderr.write(`The studio is not built, the server starts without it: ${why}\n`);
await import(builtServer() ?? "../packages/server/src/main.ts");
