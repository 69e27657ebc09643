/** `npm start`: builds the studio when its sources are newer than the build, then starts the server. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const web = join(root, "packages/web");

if (existsSync(join(web, "index.html")) && newest(web, ["dist", "node_modules"]) > built()) {
  process.stdout.write("Building the studio (once, a few seconds)...\n");
  const { build } = await import("vite");
  await build({ root: web, logLevel: "warn" });
}
await import("../packages/server/src/main.ts");

function built(): number {
  const index = join(web, "dist/index.html");
  return existsSync(index) ? statSync(index).mtimeMs : 0;
}

function newest(folder: string, skip: readonly string[]): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !skip.includes(name))
    .reduce((latest, entry) => {
      const path = join(folder, entry.name);
      return Math.max(latest, entry.isDirectory() ? newest(path, skip) : statSync(path).mtimeMs);
    }, 0);
}
