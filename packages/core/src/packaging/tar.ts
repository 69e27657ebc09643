/**
 * Tar, as npm uses it: ustar with pax and GNU long names, read strictly, written reproducibly.
 * All links are refused: npm never packs them, and archives escape through links that point outside.
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

const BLOCK = 512;
const NPM_TIME = 499_162_500; // 1985-10-26T08:15:00Z, the time npm writes: the same files always make the same bytes

/** What each entry type flag means. */
const KINDS: Readonly<Record<string, "file" | "folder" | "pax" | "global" | "long-name">> = {
  "\0": "file",
  "0": "file",
  "7": "file",
  "5": "folder",
  x: "pax",
  g: "global",
  L: "long-name",
};

export function readTarGz(
  bytes: Uint8Array,
  codec: ArchiveCodec,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): Result<ArchiveFile[]> {
  if (bytes.length > limits.maxArchiveBytes)
    return refuseArchive(`it is larger than ${limits.maxArchiveBytes} bytes`);
  let tar: Uint8Array;
  const maxBytes = limits.maxTotalBytes + limits.maxFiles * 2 * BLOCK;
  try {
    tar = codec.gunzip(bytes, maxBytes);
  } catch {
    return refuseArchive(`it is damaged, or larger than ${limits.maxTotalBytes} bytes unpacked`);
  }
  return readTar(tar, limits);
}

export function readTar(tar: Uint8Array, limits: ArchiveLimits = ARCHIVE_LIMITS): Result<ArchiveFile[]> {
  const reader = new ArchiveReader(limits);
  let at = 0;
  let named: { path?: string; size?: number } = {};
  while (at + BLOCK <= tar.length) {
    const block = tar.subarray(at, at + BLOCK);
    if (block.every((byte) => byte === 0)) break;
    const entry = readHeader(block, named);
    if (!entry) return refuseArchive("it is damaged");
    const content = tar.subarray(at + BLOCK, at + BLOCK + entry.size);
    if (content.length !== entry.size) return refuseArchive(`${entry.path} is cut off`);
    at += BLOCK + Math.ceil(entry.size / BLOCK) * BLOCK;
    const taken = take(entry, content, reader);
    if (!taken.ok) return taken;
    named = taken.value;
  }
  return reader.finish();
}

interface Header {
  readonly path: string;
  readonly size: number;
  readonly type: string;
  readonly mode: number;
}

/** Adds a file, or returns what an extension header declares for the next entry. */
function take(
  { path, type, mode, size }: Header,
  content: Uint8Array,
  reader: ArchiveReader,
): Result<{ path?: string; size?: number }> {
  const kind = KINDS[type];
  if (kind === undefined) return refuseArchive(`${path} is a link or a device`);
  if (kind === "pax") return ok(paxFields(content));
  if (kind === "long-name") return ok({ path: text(content) });
  if (kind !== "file") return ok({});
  const announced = reader.announce(path, size);
  if (!announced.ok) return announced;
  reader.add({ path, bytes: content, executable: (mode & 0o111) !== 0 });
  return ok({});
}

function readHeader(block: Uint8Array, named: { path?: string; size?: number }): Header | undefined {
  const sum = octal(block.subarray(148, 156));
  const actual = block.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
  const size = named.size ?? octal(block.subarray(124, 136));
  if (sum !== actual || size === undefined || size < 0) return undefined;
  const prefix = text(block.subarray(257, 262)) === "ustar" ? text(block.subarray(345, 500)) : "";
  const name = text(block.subarray(0, 100));
  return {
    path: named.path ?? (prefix ? `${prefix}/${name}` : name),
    size,
    type: String.fromCharCode(block[156] ?? 0),
    mode: octal(block.subarray(100, 108)) ?? 0o644,
  };
}

function paxFields(content: Uint8Array): { path?: string; size?: number } {
  const fields: { path?: string; size?: number } = {};
  let rest = content;
  while (rest.length > 0) {
    const space = rest.indexOf(32);
    const length = Number(new TextDecoder().decode(rest.subarray(0, Math.max(0, space))));
    if (!Number.isInteger(length) || length <= space || length > rest.length) break;
    const record = new TextDecoder().decode(rest.subarray(space + 1, length - 1));
    if (record.startsWith("path=")) fields.path = record.slice(5);
    if (/^size=\d+$/.test(record)) fields.size = Number(record.slice(5));
    rest = rest.subarray(length);
  }
  return fields;
}

const text = (bytes: Uint8Array) => {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end === -1 ? bytes : bytes.subarray(0, end));
};

function octal(bytes: Uint8Array): number | undefined {
  const digits = text(bytes).trim();
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : undefined;
}

export function writeTarGz(files: readonly ArchiveFile[], codec: ArchiveCodec): Uint8Array {
  const blocks: Uint8Array[] = [];
  for (const file of files) {
    const path = new TextEncoder().encode(file.path);
    if (path.length > 100) {
      const record = paxRecord("path", file.path);
      blocks.push(headerBlock("PaxHeader", record.length, 0o644, "x"), padded(record));
    }
    blocks.push(
      headerBlock(file.path, file.bytes.length, file.executable ? 0o755 : 0o644, "0"),
      padded(file.bytes),
    );
  }
  blocks.push(new Uint8Array(2 * BLOCK));
  const tar = new Uint8Array(blocks.reduce((sum, block) => sum + block.length, 0));
  let at = 0;
  for (const block of blocks) {
    tar.set(block, at);
    at += block.length;
  }
  return codec.gzip(tar);
}

/** The length of a pax record includes its own digits. */
function paxRecord(key: string, value: string): Uint8Array {
  const body = new TextEncoder().encode(` ${key}=${value}\n`);
  let length = body.length + 1;
  while (String(length).length + body.length !== length) length = String(length).length + body.length;
  return new Uint8Array([...new TextEncoder().encode(String(length)), ...body]);
}

function headerBlock(path: string, size: number, mode: number, type: string): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const put = (at: number, value: string, most: number) =>
    block.set(new TextEncoder().encode(value).subarray(0, most), at);
  const number = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  put(0, path, 100);
  put(100, number(mode, 7), 8);
  put(108, number(0, 7), 8);
  put(116, number(0, 7), 8);
  put(124, number(size, 11), 12);
  put(136, number(NPM_TIME, 11), 12);
  put(148, "        ", 8);
  put(156, type, 1);
  put(257, "ustar\0" + "00", 8);
  put(
    148,
    `${block
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, "0")}\0 `,
    8,
  );
  return block;
}

function padded(bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array(Math.ceil(bytes.length / BLOCK) * BLOCK);
  whole.set(bytes);
  return whole;
}
