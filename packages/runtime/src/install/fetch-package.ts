/**
 * Fetches the bytes to review for whatever a person names: a file, a folder (packed first), an npm package,
 * an MCP server, a skill folder, an OpenAPI document. Nothing runs here but npm, to download.
 */
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import {
  ARCHIVE_LIMITS,
  type ArchiveFile,
  buildNpmTarball,
  buildWheel,
  writeTarGz,
} from "@capstan/core/internal";
import type { PackageKind } from "../db/schema/package-record.ts";
import { commandWords } from "./command-words.ts";
import { readDocumentSource } from "./document-sources.ts";
import { nodeCodec } from "./node-codec.ts";
import type { Npm } from "./npm-program.ts";
import { readFolder } from "./read-folder.ts";
import { withStaging } from "./run-tool.ts";

const NPM_NAME = /^(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*(@[\w.^~<>=|-]+)?$/;
const MACHINE_FILES = "Files and folders of the machine";
const DOWNLOAD_MS = 120_000;

/** What to install: a name as a person types it, or bytes sent by a client. */
export interface PackageSource {
  /** A path, an npm name, a command line or a URL; with `bytes` only their name. */
  readonly source: string;
  readonly bytes?: Uint8Array | undefined;
  /** Only required where the name is ambiguous: a URL may be an MCP server or an OpenAPI document. */
  readonly kind?: PackageKind | undefined;
}

export interface PackageArchive {
  readonly kind: PackageKind;
  readonly bytes: Uint8Array;
  readonly origin: string;
  readonly serviceFolder?: string;
  /** Packed from a folder, which its author may change without a new version. */
  readonly isFolder?: boolean;
}

export interface FetchParts {
  /** Downloads a package by its name. */
  readonly npm: Npm;
  /** Fetches a URL through the network guard. */
  readonly download: (url: string) => Promise<Result<Uint8Array>>;
  /** The only folder of the machine whose files may be named; undefined = any. */
  readonly onlyFolder?: string | undefined;
}

export async function fetchPackage(
  source: PackageSource,
  parts: FetchParts,
): Promise<Result<PackageArchive>> {
  const words = source.source.trim();
  if (source.bytes) return fromFile(words, source.bytes, source.kind);
  if (source.kind === "mcp" || /^https?:\/\//.test(words)) return fromAddress(words, source.kind, parts);
  if (mayRead(words, parts)) {
    const onDisk = await fromDisk(words, source.kind);
    if (onDisk) return onDisk;
  } else if (/^[./~]/.test(words)) return fail("organisation_of_operator", { what: MACHINE_FILES });
  // A file that is not there must not be looked for in the registry, where anyone may own its name.
  if (kindByName(words)) return fail("package_source_unknown", { source: words });
  if (NPM_NAME.test(words)) return fromNpm(words, parts);
  return words.includes(" ")
    ? fromAddress(words, "mcp", parts)
    : fail("package_source_unknown", { source: words });
}

/** Decided by the name alone: whether a file exists is not revealed to those who may not read it. */
const mayRead = (words: string, { onlyFolder }: FetchParts): boolean =>
  onlyFolder === undefined || dirname(resolve(words)) === resolve(onlyFolder);

/** Undefined when nothing of that name exists on the server's machine. */
async function fromDisk(
  words: string,
  kind: PackageKind | undefined,
): Promise<Result<PackageArchive> | undefined> {
  const [file = words, chosen] = DOCUMENT.test(words) ? words.split("#") : [words];
  const path = resolve(file);
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) {
    const folder = await fromFolder(path);
    return folder.ok ? ok({ ...folder.value, isFolder: true }) : folder;
  }
  if (!found?.isFile()) return undefined;
  if (found.size > ARCHIVE_LIMITS.maxArchiveBytes)
    return fail("body_too_large", { limitBytes: ARCHIVE_LIMITS.maxArchiveBytes });
  return fromFile(chosen === undefined ? path : `${path}#${chosen}`, await readFile(path), kind);
}

const FILE_KINDS: readonly (readonly [RegExp, PackageKind])[] = [
  [/\.whl$/, "wheel"],
  [/\.(tgz|tar\.gz)$/, "npm"],
  [/\.(json|ya?ml)$/, "openapi"],
];
const DOCUMENT = /\.(json|ya?ml)(#[^#]*)?$/;

const kindByName = (name: string): PackageKind | undefined =>
  FILE_KINDS.find(([pattern]) => pattern.test(name))?.[1];

function fromFile(name: string, bytes: Uint8Array, kind?: PackageKind): Result<PackageArchive> {
  const document = kind === undefined && DOCUMENT.test(name) ? readDocumentSource(name, bytes) : undefined;
  if (document) return document;
  const known = kind ?? kindByName(name);
  return known ? ok({ kind: known, bytes, origin: name }) : fail("package_source_unknown", { source: name });
}

async function fromAddress(
  words: string,
  kind: PackageKind | undefined,
  parts: FetchParts,
): Promise<Result<PackageArchive>> {
  const isUrl = /^https?:\/\//.test(words);
  const file = isUrl ? (kind ?? kindByName(words.replace(/[?#].*$/, ""))) : undefined;
  if (file !== undefined && file !== "mcp") return fromDownload(words, file, kind === undefined, parts);
  const line = commandWords(words);
  if (line === undefined) return fail("input_invalid", { where: `unclosed quote in the command: ${words}` });
  const [command = "", ...args] = line;
  const document = isUrl ? { url: words } : { command, args };
  return ok({
    kind: "mcp",
    bytes: new TextEncoder().encode(`${JSON.stringify(document, null, 2)}\n`),
    origin: words,
  });
}

/** A document at a URL is inspected, unless its kind was given. */
async function fromDownload(
  words: string,
  kind: PackageKind,
  looks: boolean,
  parts: FetchParts,
): Promise<Result<PackageArchive>> {
  const [address = words] = words.split("#");
  const bytes = await parts.download(address);
  if (!bytes.ok) return bytes;
  const document = looks && kind === "openapi" ? readDocumentSource(words, bytes.value) : undefined;
  return document ?? ok({ kind, bytes: bytes.value, origin: address });
}

/** A service's folder has its command's package in `cli/`; that one is installed, and the folder is recorded. */
async function fromFolder(folder: string): Promise<Result<PackageArchive>> {
  const names = await readdir(folder);
  const inCli = await readdir(join(folder, "cli")).catch((): string[] => []);
  if (inCli.includes("pyproject.toml") || inCli.includes("package.json")) {
    const inner = await fromFolder(join(folder, "cli"));
    return inner.ok ? ok({ ...inner.value, origin: folder, serviceFolder: folder }) : inner;
  }
  const inner = await insideRepository(folder);
  if (inner) return inner;
  const files = await readFolder(folder);
  if (!files.ok) return files;
  const service = names.includes("docker-compose.yml") ? { serviceFolder: folder } : {};
  if (names.includes("pyproject.toml"))
    return packed("wheel", folder, await packPython(files.value), service);
  if (names.includes("package.json"))
    return packed("npm", folder, buildNpmTarball(files.value, nodeCodec), service);
  if (names.includes("SKILL.md")) {
    const top = basename(folder);
    const bytes = writeTarGz(
      files.value.map((file) => ({ ...file, path: `${top}/${file.path}` })),
      nodeCodec,
    );
    return ok({ kind: "skill", bytes, origin: folder });
  }
  return fail("package_source_unknown", { source: folder });
}

const PARENTS = ["packages", "apps", "clis", "tools"];

/** The root of a repository with several packages: the one with a manifest is used; of several, one must be named. */
async function insideRepository(folder: string): Promise<Result<PackageArchive> | undefined> {
  if (await hasManifest(folder)) return undefined;
  const below = await Promise.all(
    PARENTS.map(async (parent) => {
      const names = await readdir(join(folder, parent)).catch((): string[] => []);
      return names.map((name) => join(folder, parent, name));
    }),
  );
  const found: string[] = [];
  for (const each of below.flat()) if (await hasManifest(each)) found.push(each);
  const [only] = found;
  if (only === undefined) return undefined;
  if (found.length > 1) return fail("package_source_several", { source: folder, inside: found });
  const inner = await fromFolder(only);
  const isService = (await readdir(folder)).includes("docker-compose.yml");
  return inner.ok && isService ? ok({ ...inner.value, serviceFolder: folder }) : inner;
}

/** Next to the project file, in its package, or in `src/<package>/`. */
async function hasManifest(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((): string[] => []);
  if (!names.includes("pyproject.toml") && !names.includes("package.json")) return false;
  if (names.includes("manifest.json")) return true;
  const inner = [
    ...names,
    ...(await readdir(join(folder, "src")).catch((): string[] => [])).map((name) => `src/${name}`),
  ];
  for (const name of inner) {
    if (await stat(join(folder, name, "manifest.json")).catch(() => undefined)) return true;
  }
  return false;
}

function packed(
  kind: PackageKind,
  origin: string,
  archive: Result<{ bytes: Uint8Array }>,
  service: { serviceFolder?: string },
): Result<PackageArchive> {
  return archive.ok ? ok({ kind, bytes: archive.value.bytes, origin, ...service }) : archive;
}

async function packPython(files: readonly ArchiveFile[]): Promise<Result<{ bytes: Uint8Array }>> {
  const { parse: parseToml } = await import("smol-toml");
  const text = new TextDecoder().decode(files.find(({ path }) => path === "pyproject.toml")?.bytes);
  try {
    return buildWheel(parseToml(text), files, nodeCodec);
  } catch (error) {
    return fail("project_invalid", {
      file: "pyproject.toml",
      faults: [{ path: "", message: `is not TOML: ${(error as Error).message.split("\n")[0]}` }],
    });
  }
}

/** By its name in the registry, even if the disk has something of that name. */
export async function fromNpm(
  name: string,
  { npm }: Pick<FetchParts, "npm">,
): Promise<Result<PackageArchive>> {
  if (!NPM_NAME.test(name)) return fail("package_source_unknown", { source: name });
  return withStaging(async (folder) => {
    const words = ["pack", name, "--ignore-scripts", "--loglevel=error", "--pack-destination", folder];
    const run = await npm(words, { folder, timeoutMs: DOWNLOAD_MS });
    if (!run.ok) return run;
    const [file] = (await readdir(folder)).filter((each) => each.endsWith(".tgz"));
    if (!run.value.ok || file === undefined)
      return fail("package_download_failed", { source: name, why: run.value.why || "npm packed nothing" });
    return ok({ kind: "npm", bytes: await readFile(join(folder, file)), origin: `npm:${name}` });
  });
}
