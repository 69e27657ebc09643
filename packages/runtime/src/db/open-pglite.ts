/**
 * PGlite, opened so that an idle process stays small. Most of the memory of a plain `PGlite.create` goes to three things:
 * `initdb` in the process (see prepared-store.ts), 128 MB of shared buffers, and V8 optimising Postgres' SQL parser, one
 * function of 105 kB for which TurboFan takes 600 MB and two seconds of a core after the first hundred tokens.
 */
import { setFlagsFromString } from "node:v8";
import type { PGlite } from "@electric-sql/pglite";
import { openFilesLimit } from "./open-files-limit.ts";
import { prepareStore } from "./prepared-store.ts";

const SHARED_BUFFERS = "32MB"; // the system's file cache backs it: a miss costs one read call

const FEWEST_FILES = 64; // Postgres's minimum
const MOST_FILES = 1000; // its default

/** Postgres keeps every file it has read open, about 280 after a few turns: half of the limit is for everything else. */
export const filesOfStore = (limit = openFilesLimit() ?? Number.POSITIVE_INFINITY): number =>
  Math.max(FEWEST_FILES, Math.min(MOST_FILES, Math.floor(limit / 2)));

/**
 * V8 compiles this process's WebAssembly with its baseline compiler only. A turn costs no more CPU time: short
 * statements run through too much code for optimisation to pay off. The flags stay set, because V8 reads
 * them whenever it compiles a function, which it repeats after freeing compiled code.
 */
const BASELINE_ONLY = ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering"];

export async function openPglite(folder: string): Promise<PGlite> {
  // An optional package, loaded only here: a server on Postgres needs neither its memory nor its startup time.
  const { PGlite } = await import("@electric-sql/pglite").catch((cause: unknown) => {
    throw Object.assign(new Error("the embedded store is not installed", { cause }), {
      code: "store_not_installed",
    });
  });
  await prepareStore(folder);
  const options = [`shared_buffers=${SHARED_BUFFERS}`, `max_files_per_process=${filesOfStore()}`];
  const startParams = [...PGlite.defaultStartParams, ...options.flatMap((option) => ["-c", option])];
  for (const flag of BASELINE_ONLY) setFlagsFromString(flag);
  return PGlite.create(folder, { startParams });
}
