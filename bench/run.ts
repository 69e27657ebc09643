/** `npm run bench [name ...]`: runs bench/<name>/run.ts for each name, or for every folder that has one. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const known = readdirSync(here).filter((name) => existsSync(join(here, name, "run.ts")));
const wanted = process.argv.slice(2).length > 0 ? process.argv.slice(2) : known;

for (const name of wanted) {
  if (!known.includes(name)) {
    console.error(`There is no benchmark "${name}". There are: ${known.join(", ")}.`);
    process.exitCode = 1;
    continue;
  }
  console.log(`\n=== ${name}`);
  const { status } = spawnSync(process.execPath, [join(here, name, "run.ts")], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
