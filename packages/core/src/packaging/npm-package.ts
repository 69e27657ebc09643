/** npm packages: reads a tarball, and packs one from a project folder without npm. */
import { z } from "zod";
import { fail } from "../failures/fail.ts";
import { readInput } from "../faults.ts";
import { ok, type Result } from "../result.ts";
import { type ArchiveCodec, type ArchiveFile, refuseArchive } from "./archive.ts";
import { findManifest, type PackageContents, textOf } from "./package-contents.ts";
import { writeTarGz } from "./tar.ts";

const RelativePath = z.string().regex(/^(?!\/)(?!.*\.\.)[\w@./-]+$/, "must be a path inside the package");

export const PackageJson = z.looseObject({
  name: z.string().regex(/^(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/, "must be an npm package name"),
  version: z.string().regex(/^\d+\.\d+\.\d+[\w.+-]*$/, "must be a version such as 0.1.0"),
  bin: z.union([RelativePath, z.record(z.string().regex(/^[A-Za-z0-9._-]+$/), RelativePath)]).optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
  scripts: z.record(z.string(), z.string()).optional(),
  files: z.array(z.string()).optional(),
});
export type PackageJson = z.infer<typeof PackageJson>;

const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall", "prepare"];

/** The files without the tarball's top folder, usually `package/`. */
export function stripTopFolder(files: readonly ArchiveFile[]): ArchiveFile[] {
  return files.flatMap((file) => {
    const at = file.path.indexOf("/");
    return at === -1 ? [] : [{ ...file, path: file.path.slice(at + 1) }];
  });
}

/** Metadata of an npm package. `files` are without the top folder. */
export function readNpmPackage(
  files: readonly ArchiveFile[],
): Result<PackageContents & { json: PackageJson }> {
  const read = readPackageJson(files);
  if (!read.ok) return read;
  const twice = firstTwice(files);
  if (twice !== undefined) return refuseArchive(`it contains ${twice} twice, in different top folders`);
  const json = read.value;
  const manifest = findManifest(files);
  return ok({
    kind: "npm",
    name: json.name,
    version: json.version,
    commands: Object.keys(binOf(json)),
    dependencies: Object.entries(json.dependencies ?? {}).map(([name, range]) => `${name}@${range}`),
    installScripts: INSTALL_SCRIPTS.filter((name) => json.scripts?.[name] !== undefined),
    ...(manifest && { manifestText: manifest }),
    json,
  });
}

/** The reader of the archive sees different paths where only the top folder differs. */
function firstTwice(files: readonly ArchiveFile[]): string | undefined {
  const seen = new Set<string>();
  for (const { path } of files) {
    if (seen.has(path)) return path;
    seen.add(path);
  }
  return undefined;
}

/** Command name to file inside the package. */
export function binOf({ name, bin }: PackageJson): Record<string, string> {
  if (bin === undefined) return {};
  return typeof bin === "string" ? { [name.replace(/^@[^/]+\//, "")]: bin } : bin;
}

function readPackageJson(files: readonly ArchiveFile[]): Result<PackageJson> {
  const file = files.find(({ path }) => path === "package.json");
  if (!file) return refuseArchive("it is not an npm package: package.json is missing");
  let document: unknown;
  try {
    document = JSON.parse(textOf(file));
  } catch {
    return refuseArchive("its package.json is not JSON");
  }
  const read = readInput(PackageJson, document);
  return read.ok ? read : fail("project_invalid", { file: "package.json", faults: read.faults });
}

const LEFT_OUT =
  /(^|\/)(node_modules|\.git|\.capstan|coverage|tests?|__pycache__)(\/|$)|\.(tgz|whl|log)$|\.test\.[cm]?[jt]s$|(^|\/)\.env$/;

/** Packs a project's files as `npm pack` would: `package/` on top, sorted, with a fixed time. */
export function buildNpmTarball(
  files: readonly ArchiveFile[],
  codec: ArchiveCodec,
): Result<{ fileName: string; bytes: Uint8Array }> {
  const read = readPackageJson(files);
  if (!read.ok) return read;
  const { name, version, files: listed } = read.value;
  const bins = new Set(Object.values(binOf(read.value)).map((path) => path.replace(/^\.\//, "")));
  const packed = files
    .filter(
      ({ path }) => !LEFT_OUT.test(path) && (isAlwaysIn(path) || bins.has(path) || isListed(path, listed)),
    )
    .map((file) => ({ ...file, path: `package/${file.path}`, executable: bins.has(file.path) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return ok({
    fileName: `${name.replace(/^@/, "").replace("/", "-")}-${version}.tgz`,
    bytes: writeTarGz(packed, codec),
  });
}

const isAlwaysIn = (path: string) =>
  /^(package\.json|manifest\.json|readme(\..*)?|licen[cs]e(\..*)?)$/i.test(path);

function isListed(path: string, listed: readonly string[] | undefined): boolean {
  if (listed === undefined) return true;
  return listed.some((entry) => {
    const plain = entry.replace(/^\.?\//, "").replace(/\/?\*{0,2}\/?\*?$/, "");
    return path === plain || path.startsWith(`${plain}/`) || plain === "";
  });
}
