/**
 * Zip, as wheels use it: read strictly, written reproducibly (no clock, sorted by the caller).
 * Strict means: no links, no encryption, no zip64, no overlapping entries, and correct sizes. The list of files must be
 * the only one that any program finds: Python looks for it from the end of the file and takes all that fits, not the count.
 */
import { ok, type Result } from "../result.ts";
import {
  ARCHIVE_LIMITS,
  type ArchiveCodec,
  type ArchiveFile,
  type ArchiveLimits,
  ArchiveReader,
  refuseArchive,
} from "./archive.ts";

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const LOCATOR64 = 0x07064b50;
const LOCATOR_BYTES = 20;
const RENAMING_FIELDS: ReadonlySet<number> = new Set([0x0001, 0x7075]); // zip64 sizes, another name in Unicode
const AMBIGUOUS = "programs would disagree about which files it contains";
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const STORED = 0;
const DEFLATED = 8;
const UTF8_NAMES = 0x0800;
const ENCRYPTED = 0x0001;
const DOS_1980 = 0x0021; // 1980-01-01, the earliest date in a zip: the same files always produce the same bytes
const MADE_BY_UNIX = 0x0314;
const FILE_TYPE = 0o170000;
const REGULAR = 0o100000;

interface Entry {
  readonly path: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly sizeBytes: number;
  readonly mode: number;
  readonly offset: number;
}

export function readZip(
  bytes: Uint8Array,
  codec: ArchiveCodec,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): Result<ArchiveFile[]> {
  if (bytes.length > limits.maxArchiveBytes)
    return refuseArchive(`it is larger than ${limits.maxArchiveBytes} bytes`);
  try {
    const entries = readDirectory(bytes, limits);
    return entries.ok ? readEntries(bytes, entries.value, codec, limits) : entries;
  } catch {
    return refuseArchive("it is damaged");
  }
}

function readDirectory(bytes: Uint8Array, limits: ArchiveLimits): Result<Entry[]> {
  const view = viewOf(bytes);
  const end = findEnd(view);
  if (end === undefined) return refuseArchive("it is not a zip file");
  const count = view.getUint16(end + 10, true);
  const size = view.getUint32(end + 12, true);
  const directory = view.getUint32(end + 16, true);
  if (isZip64(view, end)) return refuseArchive("it is in the zip64 format");
  if (count > limits.maxFiles) return refuseArchive(`it contains more than ${limits.maxFiles} files`);
  const entries: Entry[] = [];
  let at = directory;
  for (let index = 0; index < count; index++) {
    if (view.getUint32(at, true) !== CENTRAL) return refuseArchive("its list of files is damaged");
    const { entry, next } = readEntry(bytes, view, at);
    if (!isNamedOnce(bytes, view, { at, next, entry })) return refuseArchive(AMBIGUOUS);
    entries.push(entry);
    at = next;
  }
  const isWhole = at === end && directory + size === end;
  const isOneDisk = view.getUint32(end + 4, true) === 0 && view.getUint16(end + 8, true) === count;
  return isWhole && isOneDisk ? ok(entries) : refuseArchive(AMBIGUOUS);
}

/** By its numbers, or by a record in front of the end: Python prefers that one. */
const isZip64 = (view: DataView, end: number): boolean =>
  view.getUint16(end + 10, true) === 0xffff ||
  view.getUint32(end + 16, true) === 0xffffffff ||
  (end >= LOCATOR_BYTES && view.getUint32(end - LOCATOR_BYTES, true) === LOCATOR64);

function readEntry(bytes: Uint8Array, view: DataView, at: number): { entry: Entry; next: number } {
  const pathBytes = view.getUint16(at + 28, true);
  const entry = {
    path: decode(bytes.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + pathBytes)),
    flags: view.getUint16(at + 8, true),
    method: view.getUint16(at + 10, true),
    crc: view.getUint32(at + 16, true),
    packedBytes: view.getUint32(at + 20, true),
    sizeBytes: view.getUint32(at + 24, true),
    mode: view.getUint32(at + 38, true) >>> 16,
    offset: view.getUint32(at + 42, true),
  };
  const more = view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  return { entry, next: at + CENTRAL_BYTES + pathBytes + more };
}

/** Its name is the same in both headers, in one encoding, and no extra field brings another name or size. */
function isNamedOnce(
  bytes: Uint8Array,
  view: DataView,
  { at, next, entry }: { at: number; next: number; entry: Entry },
): boolean {
  const { path, flags, offset } = entry;
  const pathBytes = view.getUint16(at + 28, true);
  const local = offset + LOCAL_BYTES;
  const isSame =
    view.getUint16(offset + 26, true) === pathBytes &&
    decode(bytes.subarray(local, local + pathBytes)) === path;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  if (!isSame || (!(flags & UTF8_NAMES) && !/^[\x00-\x7f]*$/.test(path))) return false;
  const extraEnd = next - view.getUint16(at + 32, true);
  for (let field = at + CENTRAL_BYTES + pathBytes; field < extraEnd; ) {
    if (field + 4 > extraEnd || RENAMING_FIELDS.has(view.getUint16(field, true))) return false;
    field += 4 + view.getUint16(field + 2, true);
  }
  return true;
}

function readEntries(
  bytes: Uint8Array,
  entries: Entry[],
  codec: ArchiveCodec,
  limits: ArchiveLimits,
): Result<ArchiveFile[]> {
  const reader = new ArchiveReader(limits);
  const files = entries.filter(({ path }) => !path.endsWith("/"));
  for (const { path, sizeBytes } of files) {
    const announced = reader.announce(path, sizeBytes);
    if (!announced.ok) return announced;
  }
  let previousEnd = 0;
  for (const entry of [...files].sort((a, b) => a.offset - b.offset)) {
    const start = dataStart(bytes, entry);
    // Entries that share bytes let a small file claim petabytes of content.
    if (entry.offset < previousEnd) return refuseArchive("its entries overlap");
    previousEnd = start + entry.packedBytes;
    const content = readContent(bytes.subarray(start, previousEnd), entry, codec);
    if (!content.ok) return content;
    reader.add({ path: entry.path, bytes: content.value, executable: (entry.mode & 0o111) !== 0 });
  }
  return reader.finish();
}

function readContent(packed: Uint8Array, entry: Entry, codec: ArchiveCodec): Result<Uint8Array> {
  const { path, flags, method, mode, sizeBytes, packedBytes } = entry;
  const kind = mode & FILE_TYPE;
  if (kind !== 0 && kind !== REGULAR) return refuseArchive(`${path} is a link or a device`);
  if (flags & ENCRYPTED) return refuseArchive(`${path} is encrypted`);
  if (method !== STORED && method !== DEFLATED)
    return refuseArchive(`${path} uses an unknown compression method`);
  if (packed.length !== packedBytes) return refuseArchive(`${path} is cut off`);
  const content = method === STORED ? packed : inflate(packed, sizeBytes, codec);
  if (content === undefined || content.length !== sizeBytes)
    return refuseArchive(`${path} is larger than it declares`);
  return codec.crc32(content) === entry.crc ? ok(content) : refuseArchive(`${path} is damaged`);
}

function inflate(packed: Uint8Array, sizeBytes: number, codec: ArchiveCodec): Uint8Array | undefined {
  try {
    return codec.inflateRaw(packed, Math.max(1, sizeBytes));
  } catch {
    return undefined;
  }
}

function dataStart(bytes: Uint8Array, { offset }: Entry): number {
  const view = viewOf(bytes);
  if (view.getUint32(offset, true) !== LOCAL) throw new RangeError("no local header");
  return offset + LOCAL_BYTES + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
}

/** The last one; nothing but its comment may follow. */
function findEnd(view: DataView): number | undefined {
  const earliest = Math.max(0, view.byteLength - END_BYTES - MAX_COMMENT_BYTES);
  for (let at = view.byteLength - END_BYTES; at >= earliest; at--) {
    if (view.getUint32(at, true) !== END) continue;
    return at + END_BYTES + view.getUint16(at + 20, true) === view.byteLength ? at : undefined;
  }
  return undefined;
}

export function writeZip(files: readonly ArchiveFile[], codec: ArchiveCodec): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const file of files) {
    const path = encode(file.path);
    const packed = codec.deflateRaw(file.bytes);
    const fields = headerFields(file, packed, path, codec);
    const local = header(LOCAL, fields.slice(1), []);
    const mode = REGULAR | (file.executable ? 0o755 : 0o644);
    directory.push(
      header(CENTRAL, fields, [
        [2, 0],
        [2, 0],
        [2, 0],
        [4, (mode << 16) >>> 0],
        [4, offset],
      ]),
      path,
    );
    parts.push(local, path, packed);
    offset += local.length + path.length + packed.length;
  }
  const directoryBytes = directory.reduce((sum, part) => sum + part.length, 0);
  const end = header(
    END,
    [
      [2, 0],
      [2, 0],
      [2, files.length],
      [2, files.length],
      [4, directoryBytes],
      [4, offset],
      [2, 0],
    ],
    [],
  );
  return concat([...parts, ...directory, end]);
}

type Field = readonly [bytes: 2 | 4, value: number];

/** The fields that both headers share; the local one lacks the first ("made by"). */
function headerFields(file: ArchiveFile, packed: Uint8Array, path: Uint8Array, codec: ArchiveCodec): Field[] {
  return [
    [2, MADE_BY_UNIX],
    [2, 20],
    [2, UTF8_NAMES],
    [2, DEFLATED],
    [2, 0],
    [2, DOS_1980],
    [4, codec.crc32(file.bytes)],
    [4, packed.length],
    [4, file.bytes.length],
    [2, path.length],
    [2, 0],
  ];
}

function header(signature: number, fields: readonly Field[], more: readonly Field[]): Uint8Array {
  const all: Field[] = [[4, signature], ...fields, ...more];
  const bytes = new Uint8Array(all.reduce((sum, [size]) => sum + size, 0));
  const view = viewOf(bytes);
  let at = 0;
  for (const [size, value] of all) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const encode = (text: string) => new TextEncoder().encode(text);

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
