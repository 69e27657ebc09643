/**
 * `npm run build`: the studio, and every package as it is published, in `build/packages/<name>`: with its assets, its
 * declarations and its own manifest. Libraries are compiled file by file; the server and the command line, which are
 * programs, are bundled with what they use (docs/decisions/0007). Development needs none of this: Node runs the sources.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build as buildWeb } from "vite";
import { bundle, missingFiles } from "./bundle.ts";
import { thirdPartyNotice } from "./bundle-licences.ts";
import { copyDeclarations } from "./bundle-types.ts";
import { PROGRAMS, type Program } from "./programs.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const COMPILED = ["core", "client", "coding-agents", "builtins", "runtime"];
/** Folders beside `src` that a package reads at run time. */
const ASSETS = ["drizzle", "data", "templates", "bin"];

/** `studioFolder`: where the studio is built to. In its own `dist`, where a server of this checkout finds it, or elsewhere. */
export async function build(
  out = join(ROOT, "build"),
  studioFolder = join(ROOT, "packages/web/dist"),
): Promise<string> {
  rmSync(out, { recursive: true, force: true });
  const compiled = join(out, "compiled/packages");
  const studio = await buildStudio(studioFolder);
  compile(join(out, "compiled"));
  for (const name of COMPILED) stageLibrary(name, compiled, join(out, "packages", name));
  for (const [name, program] of Object.entries(PROGRAMS)) {
    const to = join(out, "packages", name);
    const carried = name === "server" ? studio : [];
    await stageProgram(name, { ...program, carried }, compiled, to);
    if (name === "server" && studio.length > 0)
      cpSync(studioFolder, join(to, "dist/web"), { recursive: true });
  }
  return join(out, "packages");
}

/** Answers the files it is made of; styles, fonts and icons do not come as modules, so what it declares counts too. */
async function buildStudio(outDir: string): Promise<string[]> {
  const web = join(ROOT, "packages/web");
  if (!existsSync(join(web, "index.html"))) return [];
  const built = await buildWeb({ root: web, logLevel: "warn", build: { outDir, emptyOutDir: true } });
  const outputs = [built].flat().flatMap((each) => ("output" in each ? each.output : []));
  const declared = Object.keys(sourceManifest("web").dependencies ?? {}).filter(
    (name) => !name.startsWith("@capstan/"),
  );
  return [
    ...outputs.flatMap((file) => (file.type === "chunk" ? Object.keys(file.modules) : [])),
    ...[...declared, "tailwindcss"].map((name) => join(ROOT, "node_modules", name, "package.json")),
  ];
}

function compile(to: string): void {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const args = [tsc, "-p", "tsconfig.build.json", "--outDir", to];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: "inherit" });
}

function stageLibrary(name: string, compiled: string, to: string): void {
  const from = join(ROOT, "packages", name);
  cpSync(join(compiled, name, "src"), join(to, "dist"), { recursive: true });
  for (const asset of ASSETS.filter((folder) => existsSync(join(from, folder)))) {
    cpSync(join(from, asset), join(to, asset), { recursive: true });
  }
  stageCommon(name, to, { files: ["dist", ...ASSETS] });
}

async function stageProgram(
  name: string,
  program: Program & { readonly carried: readonly string[] },
  compiled: string,
  to: string,
): Promise<void> {
  const dist = join(to, "dist");
  for (const [from, place] of Object.entries(program.assets)) {
    if (existsSync(join(ROOT, from))) cpSync(join(ROOT, from), join(to, place), { recursive: true });
  }
  const modules = [...program.carried];
  for (const each of program.bundles) modules.push(...(await bundle(each, dist)));
  const missing = missingFiles(to, scriptsIn(dist));
  if (missing.length > 0) throw new Error(`the bundle of ${name} lacks files:\n${missing.join("\n")}`);
  writeFileSync(join(to, "THIRD-PARTY.md"), thirdPartyNotice(modules));
  const { exports } = sourceManifest(name);
  const entries = Object.values(exports).map((source) => source.replace(/\.ts$/, ".d.ts"));
  const named = copyDeclarations(join(compiled, name, "src"), entries.map(below("./src/")), dist);
  const unknown = [...named].filter((each) => !program.dependencies.includes(each));
  if (unknown.length > 0) throw new Error(`the types of ${name} need ${unknown.join(", ")}`);
  const folders = Object.values(program.assets).map((place) => place.split("/")[0] ?? place);
  stageCommon(name, to, {
    files: [...new Set(["dist", ...folders, "THIRD-PARTY.md"])],
    dependencies: withVersions(program.dependencies),
    optionalDependencies: withVersions(program.optionalDependencies),
  });
}

/** A user's project brings its own: any of this range will do, and schemas are made by it. */
const USERS_ZOD = "^4.0.0";

/** Core is compiled against the user's zod, so it must not bring one; programs take what the project has. */
function withUsersZod(name: string, manifest: Partial<Manifest>): Partial<Manifest> {
  const { zod, ...others } = manifest.dependencies ?? {};
  if (zod === undefined) return manifest;
  if (name === "core") return { ...manifest, dependencies: others, peerDependencies: { zod: USERS_ZOD } };
  return { ...manifest, dependencies: { ...others, zod: USERS_ZOD } };
}

/** Licence, readme and manifest. `changes` is what the published manifest says otherwise than the source's. */
function stageCommon(name: string, to: string, changes: Partial<Manifest>): void {
  const manifest = sourceManifest(name);
  const bin = join(to, "bin/capstan.mjs");
  if (existsSync(bin))
    writeFileSync(bin, readFileSync(bin, "utf8").replace("../src/main.ts", "../dist/main.js"));
  const exports = Object.fromEntries(
    Object.entries(manifest.exports).map(([key, source]) => {
      const compiled = source.replace("./src/", "./dist/").replace(/\.ts$/, "");
      return [key, { types: `${compiled}.d.ts`, default: `${compiled}.js` }];
    }),
  );
  const stated = withUsersZod(name, { ...manifest, ...changes });
  const published = { ...stated, exports, engines: { node: ">=22.19" } };
  cpSync(join(ROOT, "LICENSE"), join(to, "LICENSE"));
  writeFileSync(join(to, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
  const readme = `# ${manifest.name}\n\n${manifest.description}\n\nPart of Capstan: one capability layer for every agent.\n`;
  writeFileSync(join(to, "README.md"), readme);
}

interface Manifest {
  readonly name: string;
  readonly description: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

function sourceManifest(name: string): Manifest {
  const { devDependencies: _, ...manifest } = JSON.parse(
    readFileSync(join(ROOT, "packages", name, "package.json"), "utf8"),
  );
  return manifest;
}

/** As our own packages state them: one version of each in the whole repository. */
function withVersions(names: readonly string[]): Record<string, string> {
  const stated = [...COMPILED, ...Object.keys(PROGRAMS)].map(sourceManifest);
  const all: Record<string, string> = Object.assign(
    {},
    ...stated.map(({ dependencies, optionalDependencies }) => ({ ...dependencies, ...optionalDependencies })),
  );
  return Object.fromEntries(names.map((name) => [name, all[name] ?? unstated(name)]));
}

function unstated(name: string): never {
  throw new Error(`no package states a version of ${name}`);
}

const below = (folder: string) => (path: string) => path.slice(folder.length);

const scriptsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.c?js$/.test(path) && !path.startsWith("web/"))
    .map((path) => join(folder, path));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`Built ${await build()}\n`);
}
