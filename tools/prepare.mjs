/** Runs after `npm install`: warns when Node is too old, and builds the studio, so that a start need not. */
import { isOlder, refuseOldInstaller } from "./node-version.mjs";

refuseOldInstaller(process.env.npm_config_user_agent);
if (!isOlder(process.versions.node, [22, 19])) {
  const { buildStudio } = await import("./build-studio.ts");
  const why = await buildStudio((text) => process.stdout.write(text));
  // Not an error: an install without development packages has no vite, and `npm start` says what is missing.
  if (why !== undefined) process.stdout.write(`The studio is not built yet: ${why}\n`);
}
