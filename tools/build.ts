/**
 * `npm run build`: the studio, and every package as it is published: compiled, with its assets and its own manifest,
 * in `build/packages/<name>`. Development needs none of this: Node runs the sources.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build as buildWeb } from "vite";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PUBLISHED = ["core", "client", "coding-agents", "builtins", "runtime", "server", "cli"];
/** Folders beside `src` that a package reads at run time. */
const ASSETS = ["drizzle", "data", "templates", "bin"];

export async function build(out = join(ROOT, "build")): Promise<string> {
  rmSync(out, { recursive: true, force: true });
  if (existsSync(join(ROOT, "packages/web/index.html"))) {
    await buildWeb({ root: join(ROOT, "packages/web"), logLevel: "warn" });
  }
  execFileSync(
    process.execPath,
    [
      join(ROOT, "node_modules/typescript/bin/tsc"),
      "-p",
      "tsconfig.build.json",
      "--outDir",
      join(out, "compiled"),
    ],
    {
      cwd: ROOT,
      stdio: "inherit",
    },
  );
  for (const name of PUBLISHED) stage(name, out);
  return join(out, "packages");
}

function stage(name: string, out: string): void {
  const from = join(ROOT, "packages", name);
  const to = join(out, "packages", name);
  mkdirSync(to, { recursive: true });
  cpSync(join(out, "compiled/packages", name, "src"), join(to, "dist"), { recursive: true });
  for (const asset of ASSETS.filter((folder) => existsSync(join(from, folder)))) {
    cpSync(join(from, asset), join(to, asset), { recursive: true });
  }
  const web = join(ROOT, "packages/web/dist");
  if (name === "server" && existsSync(web)) cpSync(web, join(to, "web"), { recursive: true });
  if (name === "cli") rewriteBin(join(to, "bin/capstan.mjs"));
  cpSync(join(ROOT, "LICENSE"), join(to, "LICENSE"));
  writeFileSync(join(to, "package.json"), `${JSON.stringify(publishedManifest(from), null, 2)}\n`);
  writeFileSync(join(to, "README.md"), readme(from));
}

function publishedManifest(folder: string): Record<string, unknown> {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const exports = Object.fromEntries(
    Object.entries(manifest.exports as Record<string, string>).map(([key, source]) => {
      const compiled = source.replace("./src/", "./dist/").replace(/\.ts$/, "");
      return [key, { types: `${compiled}.d.ts`, default: `${compiled}.js` }];
    }),
  );
  return { ...manifest, exports, engines: { node: ">=22.18" }, files: ["dist", "web", ...ASSETS] };
}

function rewriteBin(path: string): void {
  writeFileSync(path, readFileSync(path, "utf8").replace("../src/main.ts", "../dist/main.js"));
}

function readme(folder: string): string {
  const { name, description } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return `# ${name}\n\n${description}\n\nPart of Capstan: one capability layer for every agent.\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`Built ${await build()}\n`);
}
