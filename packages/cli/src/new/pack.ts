/** `capstan pack`: a wheel or an npm tarball of a project folder, built here, without PyPI, pip or npm. */
import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { fail, ok, type Result, readManifest } from "@capstan/core";
import { type ArchiveFile, buildNpmTarball, buildWheel } from "@capstan/core/internal";
import { parse as parseToml } from "smol-toml";
import { archiveCodec } from "./archive-codec.ts";

const LEFT_OUT = new Set([
  "node_modules",
  ".git",
  ".venv",
  "venv",
  "__pycache__",
  "dist",
  "build",
  ".capstan",
]);
const MAX_BYTES = 128 * 1024 * 1024;

export interface PackedProject {
  readonly fileName: string;
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

/** Packs without writing, so that `install` can upload a folder to a remote server. */
export async function packFolder(folder: string): Promise<Result<PackedProject>> {
  const root = await projectRoot(resolve(folder));
  const files = await readProject(root);
  if (!files.ok) return files;
  const checked = checkManifest(files.value);
  if (!checked.ok) return checked;
  const packed = await packFiles(root, files.value);
  if (!packed.ok) return packed;
  const sha256 = createHash("sha256").update(packed.value.bytes).digest("hex");
  return ok({ ...packed.value, sha256 });
}

/** Packs a project and writes the archive into `into`; returns its path. */
export async function pack(folder: string, into: string): Promise<Result<PackedProject & { path: string }>> {
  const packed = await packFolder(folder);
  if (!packed.ok) return packed;
  await mkdir(into, { recursive: true });
  const path = resolve(into, packed.value.fileName);
  await writeFile(path, packed.value.bytes);
  return ok({ ...packed.value, path });
}

/** A service's folder has the package of its command in `cli/`. */
async function projectRoot(folder: string): Promise<string> {
  const inner = await readdir(join(folder, "cli")).catch(() => []);
  return inner.some((name) => name === "pyproject.toml" || name === "package.json")
    ? join(folder, "cli")
    : folder;
}

async function packFiles(
  root: string,
  files: readonly ArchiveFile[],
): Promise<Result<{ fileName: string; bytes: Uint8Array }>> {
  const pyproject = files.find(({ path }) => path === "pyproject.toml");
  if (!pyproject) return buildNpmTarball(files, archiveCodec);
  try {
    return buildWheel(parseToml(new TextDecoder().decode(pyproject.bytes)), files, archiveCodec);
  } catch (error) {
    const faults = [{ path: "", message: `is not TOML: ${(error as Error).message.split("\n")[0]}` }];
    return fail("project_invalid", { file: join(root, "pyproject.toml"), faults });
  }
}

/** An invalid manifest is refused here, before it is published, rather than at installation. */
function checkManifest(files: readonly ArchiveFile[]): Result<true> {
  const manifest = files.find(({ path }) => /^(src\/[^/]+\/|[^/]+\/)?manifest\.json$/.test(path));
  if (!manifest) return ok(true);
  const read = readManifest(new TextDecoder().decode(manifest.bytes));
  return read.ok ? ok(true) : read;
}

async function readProject(root: string): Promise<Result<ArchiveFile[]>> {
  const files: ArchiveFile[] = [];
  let totalBytes = 0;
  for await (const path of walk(root)) {
    const about = await lstat(path);
    const inside = relative(root, path).split(sep).join("/");
    if (!about.isFile())
      return fail("archive_refused", { why: `${inside} is a link; packages contain regular files only` });
    totalBytes += about.size;
    if (totalBytes > MAX_BYTES)
      return fail("archive_refused", { why: `the project is larger than ${MAX_BYTES} bytes` });
    files.push({ path: inside, bytes: await readFile(path), executable: (about.mode & 0o111) !== 0 });
  }
  return ok(files.sort((a, b) => (a.path < b.path ? -1 : 1)));
}

async function* walk(folder: string): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (LEFT_OUT.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else yield path;
  }
}
