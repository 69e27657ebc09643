/**
 * Wheels (PEP 427): reads one, and builds one from a project folder without PyPI or a build backend.
 * Pure Python only; a project with compiled parts needs its own build.
 */
import { z } from "zod";
import { fail } from "../failures/fail.ts";
import { readInput } from "../faults.ts";
import { ok, type Result } from "../result.ts";
import { type ArchiveCodec, type ArchiveFile, refuseArchive } from "./archive.ts";
import type { PackageContents } from "./package-contents.ts";
import { findManifest, textOf } from "./package-contents.ts";
import { writeZip } from "./zip.ts";

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
/** Wider than PEP 440, but never a path: file names are made of it. */
const VERSION = /^[vV]?[0-9][A-Za-z0-9.+!_-]{0,99}$/;

/** Metadata of a wheel. Every file must match its RECORD. */
export function readWheel(files: readonly ArchiveFile[], codec: ArchiveCodec): Result<PackageContents> {
  const infoFolders = new Set(files.flatMap(({ path }) => /^[^/]+\.dist-info(?=\/)/.exec(path)?.[0] ?? []));
  if (infoFolders.size > 1) return refuseArchive("it has more than one *.dist-info folder");
  const info = files.find(({ path }) => /^[^/]+\.dist-info\/METADATA$/.test(path));
  if (!info) return refuseArchive("it is not a wheel: *.dist-info/METADATA is missing");
  const folder = info.path.slice(0, -"METADATA".length);
  const metadata = readMetadata(textOf(info));
  if (!metadata.ok) return metadata;
  const { name, version, requirements } = metadata.value;
  const recorded = checkRecord(files, folder, codec);
  if (!recorded.ok) return recorded;
  const entryPoints = files.find(({ path }) => path === `${folder}entry_points.txt`);
  const manifest = findManifest(files);
  return ok({
    kind: "wheel",
    name,
    version,
    commands: entryPoints ? consoleScripts(textOf(entryPoints)) : [],
    dependencies: requirements.filter((each) => !isOnlyForExtra(each)),
    installScripts: [],
    ...(manifest && { manifestText: manifest }),
  });
}

interface WheelMetadata {
  readonly name: string;
  readonly version: string;
  readonly requirements: readonly string[];
}

function readMetadata(text: string): Result<WheelMetadata> {
  const fields = metadataFields(text);
  const head = text.split(/\r?\n\r?\n/)[0] ?? "";
  const requirements = fields.get("requires-dist") ?? [];
  if ((head.match(/requires-dist/gi) ?? []).length !== requirements.length)
    return refuseArchive("its METADATA has an ambiguous dependency");
  const addressed = requirements.find((each) => /^[^;]*@/.test(each));
  if (addressed !== undefined)
    return refuseArchive(`it depends on "${addressed}", a URL instead of a version in an index`);
  const name = fields.get("name")?.[0];
  const version = fields.get("version")?.[0];
  if (!name || !version) return refuseArchive("its METADATA names no package and version");
  if (!NAME.test(name) || !VERSION.test(version))
    return refuseArchive("its METADATA names a package or a version that Python's index would refuse");
  return ok({ name, version, requirements });
}

/**
 * Leaves out only dependencies that certainly need an extra nobody requested; "extra == 'x' or python_version > '3'" stays.
 * pip decides in the end; this list is for the review, before pip runs.
 */
function isOnlyForExtra(requirement: string): boolean {
  const marker = requirement.slice(requirement.indexOf(";") + 1);
  return requirement.includes(";") && !/\bor\b/.test(marker) && /\bextra\s*==\s*['"][\w.-]+['"]/.test(marker);
}

function metadataFields(text: string): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const line of text.split(/\r?\n/)) {
    if (line === "") break;
    const match = /^([A-Za-z-]+):\s*(.*)$/.exec(line);
    if (match) {
      const key = (match[1] ?? "").toLowerCase();
      fields.set(key, [...(fields.get(key) ?? []), match[2] ?? ""]);
    }
  }
  return fields;
}

function consoleScripts(text: string): string[] {
  const section = /\[console_scripts\]([^[]*)/.exec(text)?.[1] ?? "";
  return [...section.matchAll(/^\s*([A-Za-z0-9._-]+)\s*=/gm)].map((match) => match[1] ?? "");
}

function checkRecord(files: readonly ArchiveFile[], folder: string, codec: ArchiveCodec): Result<true> {
  const record = files.find(({ path }) => path === `${folder}RECORD`);
  if (!record) return refuseArchive("it is not a wheel: RECORD is missing");
  const lines = textOf(record).split(/\r?\n/).filter(Boolean).map(recordLine);
  const hashes = new Map(lines.map(({ path, hash }) => [path, hash]));
  for (const { path, bytes } of files) {
    const hash = hashes.get(path);
    if (path.startsWith(`${folder}RECORD`)) continue;
    if (hash === undefined) return refuseArchive(`${path} is not in its RECORD`);
    if (hash !== `sha256=${base64Url(codec.sha256(bytes))}`)
      return refuseArchive(`${path} differs from its RECORD`);
  }
  return ok(true);
}

/** `path,hash,size`; a path with a comma is quoted. */
function recordLine(line: string): { path: string; hash: string } {
  const quoted = /^"((?:[^"]|"")*)",([^,]*)/.exec(line);
  if (quoted) return { path: (quoted[1] ?? "").replaceAll('""', '"'), hash: quoted[2] ?? "" };
  const [path = "", hash = ""] = line.split(",");
  return { path, hash };
}

const PyProject = z.looseObject({
  project: z.looseObject({
    name: z.string().regex(NAME, "must be a package name"),
    version: z.string().regex(/^[0-9][A-Za-z0-9.+!]*$/, "must be a version such as 0.1.0"),
    description: z.string().optional(),
    "requires-python": z.string().optional(),
    dependencies: z.array(z.string()).optional(),
    scripts: z
      .record(z.string().regex(/^[A-Za-z0-9._-]+$/), z.string().regex(/^[\w.]+(:[\w.]+)?$/))
      .optional(),
  }),
});
type Project = z.infer<typeof PyProject>["project"];

const LEFT_OUT =
  /(^|\/)(__pycache__|\.git|\.venv|venv|node_modules|dist|build|tests?|[^/]*\.egg-info)(\/|$)|\.py[co]$/;

/** Builds a wheel from a project's files and its parsed pyproject.toml. The same files always give the same bytes. */
export function buildWheel(
  pyproject: unknown,
  files: readonly ArchiveFile[],
  codec: ArchiveCodec,
): Result<{ fileName: string; bytes: Uint8Array }> {
  const read = readInput(PyProject, pyproject);
  if (!read.ok) return fail("project_invalid", { file: "pyproject.toml", faults: read.faults });
  const { project } = read.value;
  const code = packageFiles(files);
  if (code.length === 0) {
    const faults = [
      { path: "", message: "has no package: a folder with __init__.py, or src/ with one in it" },
    ];
    return fail("project_invalid", { file: "pyproject.toml", faults });
  }
  const stem = `${project.name.replaceAll(/[-_.]+/g, "_").toLowerCase()}-${project.version}`;
  const folder = `${stem}.dist-info`;
  const readme = files.find(({ path }) => path === "README.md");
  const content = [...code, ...infoFiles(project, folder, readme)];
  const sorted = [...content].sort((a, b) => (a.path < b.path ? -1 : 1));
  const record = [
    ...sorted.map(
      ({ path, bytes }) => `${csv(path)},sha256=${base64Url(codec.sha256(bytes))},${bytes.length}`,
    ),
    `${folder}/RECORD,,`,
  ];
  const all = [...sorted, textFile(`${folder}/RECORD`, `${record.join("\n")}\n`)];
  return ok({ fileName: `${stem}-py3-none-any.whl`, bytes: writeZip(all, codec) });
}

/** The files of the project's packages, without `src/`; a manifest next to pyproject.toml goes into the first package. */
function packageFiles(files: readonly ArchiveFile[]): ArchiveFile[] {
  const kept = files.filter(({ path }) => !LEFT_OUT.test(path));
  const roots = packageRoots(kept);
  const [first] = roots;
  if (first === undefined) return [];
  const inside = kept
    .filter(({ path }) => roots.some((root) => path.startsWith(`${root}/`)))
    .map((file) => ({ ...file, path: file.path.replace(/^src\//, "") }));
  const manifestPath = `${first.replace(/^src\//, "")}/manifest.json`;
  const manifest = kept.find(({ path }) => path === "manifest.json");
  if (!manifest || inside.some(({ path }) => path === manifestPath)) return inside;
  return [...inside, { ...manifest, path: manifestPath }];
}

function packageRoots(files: readonly ArchiveFile[]): string[] {
  const found = files.flatMap(({ path }) => /^((?:src\/)?[A-Za-z_]\w*)\/__init__\.py$/.exec(path)?.[1] ?? []);
  const below = found.filter((root) => root.startsWith("src/"));
  return (below.length > 0 ? below : found).sort();
}

function infoFiles(project: Project, folder: string, readme: ArchiveFile | undefined): ArchiveFile[] {
  const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();
  const metadata = [
    "Metadata-Version: 2.1",
    `Name: ${project.name}`,
    `Version: ${project.version}`,
    ...(project.description ? [`Summary: ${oneLine(project.description)}`] : []),
    ...(project["requires-python"] ? [`Requires-Python: ${oneLine(project["requires-python"])}`] : []),
    ...(project.dependencies ?? []).map((each) => `Requires-Dist: ${oneLine(each)}`),
    ...(readme ? ["Description-Content-Type: text/markdown", "", textOf(readme)] : []),
  ];
  const wheel = ["Wheel-Version: 1.0", "Generator: capstan", "Root-Is-Purelib: true", "Tag: py3-none-any"];
  const scripts = Object.entries(project.scripts ?? {}).map(([name, target]) => `${name} = ${target}`);
  return [
    textFile(`${folder}/METADATA`, `${metadata.join("\n")}\n`),
    textFile(`${folder}/WHEEL`, `${wheel.join("\n")}\n`),
    ...(scripts.length > 0
      ? [textFile(`${folder}/entry_points.txt`, `[console_scripts]\n${scripts.join("\n")}\n`)]
      : []),
  ];
}

const textFile = (path: string, text: string): ArchiveFile => ({
  path,
  bytes: new TextEncoder().encode(text),
});
const csv = (path: string) => (/[",]/.test(path) ? `"${path.replaceAll('"', '""')}"` : path);

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
