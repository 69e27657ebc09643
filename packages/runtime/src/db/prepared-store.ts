/**
 * The files of a new embedded store, unpacked from a file of the package: creating them (`initdb`) takes PGlite
 * three seconds and a gigabyte of memory. `tools/pack-embedded-store.ts` writes the file after an update of PGlite.
 *
 * Format: for each entry a line of JSON, then the bytes of a file; all of it compressed with brotli.
 */
import { createReadStream, existsSync } from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createBrotliDecompress } from "node:zlib";
import { z } from "zod";

const PACKED = fileURLToPath(new URL("../../data/embedded-store.br", import.meta.url));
const NEWLINE = 0x0a;

/** First line of the file: which PGlite created the store. Postgres refuses files of another catalog version. */
export const PackedStoreHeader = z.strictObject({ pglite: z.string() });

const Entry = z.union([
  z.strictObject({ folder: z.string() }),
  z.strictObject({ file: z.string(), bytes: z.int().min(0) }),
]);
export type PackedStoreEntry = z.infer<typeof Entry>;

/**
 * Fills `folder` if it is empty. The files appear all at once: the remains of an interrupted start are next to it in
 * `<folder>.preparing` and removed by the next start.
 */
export async function prepareStore(folder: string): Promise<void> {
  if (existsSync(join(folder, "PG_VERSION")) || !existsSync(PACKED)) return;
  const preparing = `${folder}.preparing`;
  await rm(preparing, { recursive: true, force: true });
  if ((await readdir(folder)).length > 0) return; // left as it is; PGlite reports what is wrong with it
  try {
    await unpack(preparing);
    await rm(folder, { recursive: true });
    await rename(preparing, folder);
  } catch (error) {
    await rm(preparing, { recursive: true, force: true }).catch(() => {});
    await mkdir(folder, { recursive: true, mode: 0o700 });
    throw error;
  }
}

/** The PGlite version that created the packed store. */
export async function packedStoreVersion(): Promise<string> {
  const reader = new PackedReader();
  try {
    return PackedStoreHeader.parse(JSON.parse((await reader.line()) ?? "")).pglite;
  } finally {
    reader.close();
  }
}

async function unpack(to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  const reader = new PackedReader();
  PackedStoreHeader.parse(JSON.parse((await reader.line()) ?? ""));
  for (let line = await reader.line(); line !== undefined; line = await reader.line()) {
    const entry = Entry.parse(JSON.parse(line));
    if ("folder" in entry) await mkdir(join(to, entry.folder), { mode: 0o700 });
    else await writeFileFrom(reader, join(to, entry.file), entry.bytes);
  }
}

async function writeFileFrom(reader: PackedReader, path: string, bytes: number): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    for await (const part of reader.bytes(bytes)) await file.writeFile(part);
  } finally {
    await file.close();
  }
}

/** Reads lines and counted bytes in turn, in chunks: reading it whole would take 25 MB of memory. */
class PackedReader {
  readonly #stream = createReadStream(PACKED).pipe(createBrotliDecompress());
  readonly #chunks: AsyncIterator<Buffer> = this.#stream[Symbol.asyncIterator]();
  #rest: Buffer = Buffer.alloc(0);

  /** Undefined at the end of the file. */
  async line(): Promise<string | undefined> {
    let end = this.#rest.indexOf(NEWLINE);
    while (end === -1) {
      if (!(await this.#more())) return undefined;
      end = this.#rest.indexOf(NEWLINE);
    }
    const line = this.#rest.toString("utf8", 0, end);
    this.#rest = this.#rest.subarray(end + 1);
    return line;
  }

  async *bytes(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if (this.#rest.length === 0 && !(await this.#more())) throw new Error(`${PACKED} is incomplete`);
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  close(): void {
    this.#stream.destroy();
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#chunks.next();
    if (done === true) return false;
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
    return true;
  }
}
