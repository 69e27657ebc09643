/**
 * Programs that another user can read, also where the repository was cloned and installed under umask 077: a script, or an
 * npm package with what it depends on, copied to a temporary folder.
 */
import { spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface ReadableCopies {
  /** Path of the copy of a script that imports nothing but Node's own modules. */
  script(path: string): string;
  /** Path of a file in the copy of an installed package. */
  packageFile(name: string, file: string): string;
  remove(): void;
}

export function readableCopies(): ReadableCopies {
  const folder = mkdtempSync(join(tmpdir(), "capstan-readable-"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const letOthersRead = () => spawnSync("chmod", ["-R", "go+rX", folder]);
  return {
    script(path) {
      const copy = join(folder, basename(path));
      cpSync(path, copy);
      letOthersRead();
      return copy;
    },
    packageFile(name, file) {
      copyWithDependencies(join(ROOT, "node_modules", name), join(folder, "node_modules", name), folder);
      letOthersRead();
      return join(folder, "node_modules", name, file);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * The file itself where every user can read it; else one copy for all processes of the lane, which removes it with its
 * temporary folder.
 */
export function readableFile(path: string): string {
  if (everybodyMayEnter(path)) return path;
  const { size, mtimeMs } = statSync(path);
  const name = createHash("sha256").update(`${path} ${size} ${mtimeMs}`).digest("hex");
  const folder = join(tmpdir(), "readable-files", name);
  const copy = join(folder, basename(path));
  if (existsSync(copy)) return copy;
  mkdirSync(folder, { recursive: true });
  for (const each of [dirname(folder), folder]) chmodSync(each, 0o755);
  writeFileSync(join(folder, "package.json"), '{"type":"module"}', { mode: 0o644 });
  const started = `${copy}.${randomUUID()}`;
  cpSync(path, started);
  chmodSync(started, 0o755);
  renameSync(started, copy);
  return copy;
}

/** Whether every user passes through the folders above and may read the file or enter the folder itself. */
export function everybodyMayEnter(path: string): boolean {
  const found = statSync(path);
  const parent = dirname(path);
  const needed = found.isDirectory() ? 0o001 : 0o004;
  return (found.mode & needed) !== 0 && (parent === path || everybodyMayEnter(parent));
}

/** A dependency that is not inside the package lies in one of the `node_modules` above it; its copy goes to the top. */
function copyWithDependencies(from: string, to: string, folder: string): void {
  if (existsSync(to)) return;
  cpSync(from, to, { recursive: true });
  const { dependencies = {} } = JSON.parse(readFileSync(join(from, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies)) {
    if (existsSync(join(from, "node_modules", name))) continue;
    const found = nearest(name, dirname(from));
    if (found) copyWithDependencies(found, join(folder, "node_modules", name), folder);
  }
}

function nearest(name: string, from: string): string | undefined {
  for (let at = from; at !== dirname(at); at = dirname(at)) {
    const path = join(at, "node_modules", name);
    if (existsSync(path)) return path;
  }
  return undefined;
}
