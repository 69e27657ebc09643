/** npm packages: unpacked into a folder of their own, dependencies beside, no script run unless allowed. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
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
import { describePackage } from "./describe-package.ts";
import { nodeCodec } from "./node-codec.ts";
import type { PackageKindRules, PackageReading, PlaceRequest } from "./package-kind.ts";
import { runTool } from "./trusted-tool.ts";
import { writeFiles } from "./write-files.ts";

const INSTALL_MS = 300_000;
/** npm's own patience is five minutes and two retries; offline, a person would wait that long for nothing. */
export const NPM_PATIENCE = ["--fetch-timeout=30000", "--fetch-retries=1"];
const NODE_FILE = /\.[cm]?[jt]s$/;

export interface NpmKindParts {
  readonly env: Readonly<Record<string, string>>;
  /** The Node that runs the package's commands. */
  readonly node: string;
  readonly limits?: ArchiveLimits | undefined;
}

export function npmKind(parts: NpmKindParts): PackageKindRules {
  const filesOf = (bytes: Uint8Array): Result<ArchiveFile[]> => {
    const files = readTarGz(bytes, nodeCodec, parts.limits);
    return files.ok ? ok(stripTopFolder(files.value)) : files;
  };
  return {
    read: (bytes) => readPackage(filesOf(bytes)),
    async place(request) {
      const files = filesOf(request.bytes);
      if (!files.ok) return files;
      const contents = readNpmPackage(files.value);
      if (!contents.ok) return contents;
      const root = join(request.folder, "package");
      await mkdir(root, { recursive: true });
      await writeFiles(root, files.value);
      if (Object.keys(contents.value.json.dependencies ?? {}).length === 0) return ok({});
      return installDependencies(root, request, parts);
    },
    async commandLine(folder, command) {
      const root = join(folder, "package");
      const json = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as PackageJson;
      const file = binOf(json)[command];
      if (file === undefined)
        return fail("package_command_missing", { command, has: Object.keys(binOf(json)) });
      const path = join(root, file);
      if (!NODE_FILE.test(path) && !(await startsWithNode(path))) {
        return fail("archive_refused", { why: `its command ${command} is not a Node program` });
      }
      return ok([parts.node, path]);
    },
  };
}

function readPackage(files: Result<ArchiveFile[]>): Result<PackageReading> {
  if (!files.ok) return files;
  const contents = readNpmPackage(files.value);
  if (!contents.ok) return contents;
  const description = describePackage(contents.value);
  if (!description.ok) return description;
  const unpackedBytes = files.value.reduce((sum, file) => sum + file.bytes.length, 0);
  return ok({ description: description.value, files: files.value.length, unpackedBytes });
}

/** With a lock from an earlier installation the very same versions come, checked by npm against their hashes. */
async function installDependencies(
  root: string,
  request: PlaceRequest,
  { env }: NpmKindParts,
): Promise<Result<{ dependencyLock?: string }>> {
  const lockPath = join(root, "package-lock.json");
  if (request.dependencyLock) await writeFile(lockPath, request.dependencyLock);
  const argv = [
    "npm",
    request.dependencyLock ? "ci" : "install",
    "--omit=dev",
    "--no-audit",
    "--no-fund",
    "--install-links=false",
    ...NPM_PATIENCE,
    request.allowScripts ? "--ignore-scripts=false" : "--ignore-scripts",
  ];
  const run = await runTool(argv, { env, cwd: root, timeoutMs: INSTALL_MS });
  if (!run.ok) return fail("package_dependencies_missing", { manager: "npm", why: run.why });
  return ok({ dependencyLock: await readFile(lockPath, "utf8") });
}

async function startsWithNode(path: string): Promise<boolean> {
  const head = await readFile(path, "utf8").catch(() => "");
  return /^#!.*\bnode\b/.test(head.slice(0, 200));
}
