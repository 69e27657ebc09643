/**
 * npm packages: the package's files in `package/`, its dependencies next to it in `node_modules/`; no script runs unless
 * allowed. npm never works in the package's own folder, so that nothing in the archive (`.npmrc`, a lock file) affects it.
 */
import { mkdir, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import {
  type ArchiveFile,
  type ArchiveLimits,
  binOf,
  type PackageJson,
  readNpmPackage,
  readTarGz,
  stripTopFolder,
} from "@capstan/core/internal";
import { readPlainFile, readPlainText } from "../files/plain-file.ts";
import { describePackage } from "./describe-package.ts";
import { nodeCodec } from "./node-codec.ts";
import { dependenciesOf, resolveNpm, writeProject } from "./npm-dependencies.ts";
import { readNpmLock } from "./npm-lock.ts";
import { type NpmParts, npmProgram } from "./npm-program.ts";
import type { PackageKindRules, PackageReading, PlaceRequest } from "./package-kind.ts";
import { writeFiles } from "./write-files.ts";

const INSTALL_MS = 300_000;
const MAX_JSON_BYTES = 1024 * 1024;
const MAX_PROGRAM_BYTES = 64 * 1024 * 1024;
const NODE_FILE = /\.[cm]?[jt]s$/;
/** Files that would configure npm; the package itself does not need them. */
const STEERS_NPM = /^(\.npmrc|\.yarnrc(\.yml)?|package-lock\.json|npm-shrinkwrap\.json|\.pnpmfile\.cjs)$/;
const OWN_SCRIPTS = ["preinstall", "install", "postinstall"];

export interface NpmKindParts extends NpmParts {
  readonly limits?: ArchiveLimits | undefined;
}

export function npmKind(parts: NpmKindParts): PackageKindRules {
  const npm = npmProgram(parts);
  const contentsOf = (bytes: Uint8Array) => {
    const files = readTarGz(bytes, nodeCodec, parts.limits);
    if (!files.ok) return files;
    const inside = stripTopFolder(files.value);
    const contents = readNpmPackage(inside);
    return contents.ok ? ok({ ...contents.value, files: inside }) : contents;
  };
  return {
    read: (bytes) => {
      const contents = contentsOf(bytes);
      return contents.ok ? reading(contents.value) : contents;
    },
    async resolve(bytes) {
      const contents = contentsOf(bytes);
      return contents.ok ? resolveNpm(contents.value.json, npm) : contents;
    },
    async place(request) {
      const contents = contentsOf(request.bytes);
      if (!contents.ok) return contents;
      const root = join(request.folder, "package");
      await mkdir(root, { recursive: true });
      await writeFiles(
        root,
        contents.value.files.filter(({ path }) => !STEERS_NPM.test(path)),
      );
      const { json } = contents.value;
      if (request.dependencyLock) {
        const installed = await installDependencies(json, { ...request, lock: request.dependencyLock, npm });
        if (!installed.ok) return installed;
      }
      if (!request.allowScripts) return ok(true);
      return runOwnScripts(json, request.folder, npm);
    },
    commandLine: (folder, command) => commandLine(folder, command, parts.node),
  };
}

async function commandLine(folder: string, command: string, node: string) {
  const root = join(folder, "package");
  // A script that was allowed may have changed any of its files.
  const found = await readPlainFile(join(root, "package.json"), MAX_JSON_BYTES);
  if (typeof found === "string") return fail("package_command_missing", { command, has: [] });
  const contents = readNpmPackage([{ path: "package.json", bytes: found.bytes }]);
  if (!contents.ok) return contents;
  const { json } = contents.value;
  const file = binOf(json)[command];
  if (file === undefined) return fail("package_command_missing", { command, has: Object.keys(binOf(json)) });
  const path = join(root, file);
  if (!NODE_FILE.test(path) && !(await startsWithNode(path))) {
    return fail("archive_refused", { why: `its command ${command} is not a Node program` });
  }
  return ok({ argv: [node, path], readable: [folder, node, await realpath(node)] });
}

function reading(
  contents: Parameters<typeof describePackage>[0] & { files: ArchiveFile[] },
): Result<PackageReading> {
  const description = describePackage(contents);
  if (!description.ok) return description;
  const { files } = contents;
  const unpackedBytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  return ok({ description: description.value, files: files.length, unpackedBytes });
}

type DependencyInstall = PlaceRequest & { lock: string; npm: ReturnType<typeof npmProgram> };

/** Exactly what the review listed: npm checks each file against the lock's hash. */
async function installDependencies(
  json: PackageJson,
  { folder, lock, npm, allowScripts }: DependencyInstall,
): Promise<Result<true>> {
  const dependencies = dependenciesOf(json);
  if (!dependencies.ok) return dependencies;
  const checked = readNpmLock(lock);
  if (!checked.ok) return checked;
  await writeProject(folder, dependencies.value);
  await writeFile(join(folder, "package-lock.json"), lock);
  const place = { folder, timeoutMs: INSTALL_MS };
  const fetched = await npm(["ci", "--omit=dev", "--ignore-scripts"], place);
  // Scripts run afterwards, on the network of a package: npm itself has reached the operator's registry by then.
  const run =
    fetched.ok && fetched.value.ok && allowScripts
      ? await npm(["rebuild", "--ignore-scripts=false"], { ...place, runsPackage: true })
      : fetched;
  if (!run.ok) return run;
  return run.value.ok
    ? ok(true)
    : fail("package_dependencies_missing", { manager: "npm", why: run.value.why });
}

/** npm runs these for a package that it installs itself; ours is next to its dependencies. */
async function runOwnScripts(
  json: PackageJson,
  folder: string,
  npm: ReturnType<typeof npmProgram>,
): Promise<Result<true>> {
  for (const name of OWN_SCRIPTS.filter((each) => json.scripts?.[each] !== undefined)) {
    const place = { folder, cwd: join(folder, "package"), timeoutMs: INSTALL_MS, runsPackage: true };
    const run = await npm(["run", name, "--ignore-scripts=false"], place);
    if (!run.ok) return run;
    if (!run.value.ok)
      return fail("package_broken", { name: json.name, why: `its script ${name} failed: ${run.value.why}` });
  }
  return ok(true);
}

async function startsWithNode(path: string): Promise<boolean> {
  const text = await readPlainText(path, MAX_PROGRAM_BYTES);
  return text !== undefined && /^#!.*\bnode\b/.test(text.slice(0, 200));
}
