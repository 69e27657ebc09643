/** Runs after `npm install`: warns when Node is too old, builds the studio and bundles the server, so that a start need not. */
import { isOlder, refuseOldInstaller } from "./node-version.mjs";

refuseOldInstaller(process.env.npm_config_user_agent);
if (!isOlder(process.versions.node, [22, 19])) {
  const { buildStudio } = await import("./build-studio.ts");
  const { buildServer } = await import("./built-server.ts");
  const say = (text) => process.stdout.write(text);
  const why = await buildStudio(say);
  // Not an error: an install without development packages has no vite, and `npm start` says what is missing.
  if (why !== undefined) process.stdout.write(`The studio is not built yet: ${why}\n`);
  // Without it `npm start` runs the sources.
  const whyNot = await buildServer(say);
  if (whyNot !== undefined) process.stdout.write(`The server is not bundled: ${whyNot}\n`);
}
