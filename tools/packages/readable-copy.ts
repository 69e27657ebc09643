/**
 * Programs that another user can read, also where the repository was cloned and installed under umask 077: a script, or an
 * npm package with what it depends on, copied to a temporary folder.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
