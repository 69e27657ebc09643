/** Builds the studio when it has to, then starts the server: what `npm start` runs on a Node that is new enough. */
import { buildStudio } from "./build-studio.ts";

const why = await buildStudio((text) => process.stdout.write(text));
if (why !== undefined)
  process.stderr.write(`The studio is not built, the server starts without it: ${why}\n`);
await import("../packages/server/src/main.ts");
