/**
 * PGlite, opened so that an idle process stays small. Most of the memory of a plain `PGlite.create` goes to three things:
 * `initdb` in the process (see prepared-store.ts), 128 MB of shared buffers, and V8 optimising Postgres' SQL parser, one
 * function of 105 kB for which TurboFan takes 600 MB and two seconds of a core after the first hundred tokens.
 */
import { setFlagsFromString } from "node:v8";
import type { PGlite } from "@electric-sql/pglite";
import type { Database } from "./database.ts";
import { openFilesLimit } from "./open-files-limit.ts";
import { prepareStore } from "./prepared-store.ts";

const SHARED_BUFFERS = "32MB"; // the system's file cache backs it: a miss costs one read call

const PARSED_ONLY = ";"; // executes nothing, so that little more than the parser stays as it is

const FEWEST_FILES = 64; // Postgres's minimum
const MOST_FILES = 1000; // its default

/** Postgres keeps every file it has read open, about 280 after a few turns: half of the limit is for everything else. */
export const filesOfStore = (limit = openFilesLimit() ?? Number.POSITIVE_INFINITY): number =>
  Math.max(FEWEST_FILES, Math.min(MOST_FILES, Math.floor(limit / 2)));

/** V8 reads these flags whenever it compiles a function, which it does when the function is first called. */
const BASELINE_ONLY = ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering"];
const OPTIMISING = ["--wasm-tier-up", "--wasm-dynamic-tiering"];
const compileWith = (flags: readonly string[]): void => {
  for (const flag of flags) setFlagsFromString(flag);
};

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
  compileWith(BASELINE_ONLY);
  return PGlite.create(folder, { startParams });
}

/**
 * Call this once after the start, with what releases its memory and thereby all compiled code. From then on V8 optimises
 * Postgres' functions, which saves a third of each statement, except the parser: it is compiled before optimising is allowed.
 */
export async function settleStore(
  { kind, pool }: Pick<Database, "kind" | "pool">,
  release: () => Promise<void>,
): Promise<void> {
  if (kind === "postgres" || pool.ending) return release();
  const client = await pool.connect(); // the only one: no other statement runs meanwhile
  try {
    await release();
    await client.query(PARSED_ONLY);
    compileWith(OPTIMISING);
  } finally {
    client.release();
  }
}
