/**
 * The server and the command line as they are published: our code and what it uses of other packages, in a few files
 * with everything unused left out, so that a start reads 90 files and not 1,400 and an install has four packages and not
 * ninety. What is needed later is in chunks of its own, loaded by the `import()` that asks for it.
 *
 * Every chunk lies two folders deep, as our sources do: `new URL("../../drizzle", import.meta.url)` holds in both.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type OutputOptions, rolldown } from "rolldown";
import { escapeBeyondAscii } from "./escape-beyond-ascii.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Found at run time in the user's `node_modules`, or not at all: never in the bundle. */
const OUTSIDE = [
  /^node:/,
  "@electric-sql/pglite", // brings files of its own, and a server on Postgres does not need it
  "pg-native", // asked for by pg only where it is chosen
  "pg-cloudflare",
  /^@opentelemetry\//, // asked for by DBOS only with its own telemetry, which is off
  /^winston/,
];

/** Names stay and lines stay: a stack trace of the bundle must be readable without its map. */
const READABLE: OutputOptions = {
  sourcemap: true,
  sourcemapExcludeSources: true, // half of the size; the sources are public
  comments: false, // licences are in THIRD-PARTY.md
  minifyInternalExports: false,
};

export interface Bundle {
  /** Entries by their place below `dist`, without an extension. */
  readonly entries: Readonly<Record<string, string>>;
  readonly format?: "esm" | "cjs";
  /** One file, for programs that may read no other. */
  readonly alone?: boolean;
  readonly minify?: boolean;
}

/** Writes the bundle into `to` and answers the files it was made of. */
export async function bundle(
  { entries, format = "esm", alone = false, minify = false }: Bundle,
  to: string,
): Promise<string[]> {
  const input = Object.fromEntries(
    Object.entries(entries).map(([name, source]) => [name, join(ROOT, source)]),
  );
  const made = await rolldown({ cwd: ROOT, input, platform: "node", external: OUTSIDE, logLevel: "warn" });
  const extension = format === "cjs" ? "cjs" : "js";
  try {
    const output = await made.write({
      dir: to,
      format,
      entryFileNames: `[name].${extension}`,
      chunkFileNames: `chunks/[name]-[hash].${extension}`,
      ...READABLE,
      ...(alone && { codeSplitting: false }),
      ...(minify && { minify: true, sourcemap: false }),
    });
    const chunks = output.output.filter((file) => file.type === "chunk");
    for (const { fileName } of chunks) inAscii(join(to, fileName));
    return chunks.flatMap((file) => Object.keys(file.modules));
  } finally {
    await made.close();
  }
}

function inAscii(file: string): void {
  const code = readFileSync(file, "utf8");
  const escaped = escapeBeyondAscii(code);
  if (escaped !== code) writeFileSync(file, escaped);
}

/** Files that the bundle looks for beside itself and that are not there. */
export function missingFiles(folder: string, files: readonly string[]): string[] {
  return files.flatMap((file) => {
    const code = readFileSync(file, "utf8");
    return [...code.matchAll(/new URL\("(\.[^"]+)", import\.meta\.url\)/g)]
      .map(([, path = ""]) => join(dirname(file), path))
      .filter((path) => !existsSync(path))
      .map((path) => `${relative(folder, file)} needs ${relative(folder, path)}`);
  });
}
