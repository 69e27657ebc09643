/**
 * Writes `packages/runtime/data/embedded-store.br`, the files of a new embedded store; run it after an update of PGlite.
 * Without the template databases: nothing creates databases in an embedded store, and they are two thirds of its files.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { PGlite } from "@electric-sql/pglite";
import type { PackedStoreEntry } from "../packages/runtime/src/db/prepared-store.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TARGET = join(ROOT, "packages/runtime/data/embedded-store.br");
const OF_A_PROCESS = new Set(["postmaster.pid", "postmaster.opts"]);

const folder = mkdtempSync(join(tmpdir(), "capstan-store-"));
await makeStore(folder);
const packed = brotliCompressSync(Buffer.concat([...packedParts(folder)]), {
  params: { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS },
});
writeFileSync(TARGET, packed);
rmSync(folder, { recursive: true });
process.stdout.write(`${TARGET}: ${(packed.length / 2 ** 20).toFixed(2)} MB\n`);

async function makeStore(at: string): Promise<void> {
  const store = await PGlite.create(at);
  await store.exec("update pg_database set datistemplate = false");
  for (const name of ["template1", "template0"]) await store.exec(`drop database ${name}`);
  await store.exec("checkpoint");
  await store.close();
}

function* packedParts(root: string): Generator<Buffer> {
  const { version } = JSON.parse(
    readFileSync(join(ROOT, "node_modules/@electric-sql/pglite/package.json"), "utf8"),
  );
  yield line({ pglite: version });
  const entries = readdirSync(root, { withFileTypes: true, recursive: true })
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name).slice(root.length + 1) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1)); // a folder comes before what is in it
  for (const { entry, path } of entries) {
    if (OF_A_PROCESS.has(path)) continue;
    if (entry.isDirectory()) yield line({ folder: path });
    else {
      const bytes = readFileSync(join(root, path));
      yield line({ file: path, bytes: bytes.length });
      yield bytes;
    }
  }
}

function line(value: PackedStoreEntry | { readonly pglite: string }): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}
