/**
 * What an archive may contain: plain files below one folder, within limits. Zip and tar share these rules.
 * Compression and hashes are passed in, because core does no I/O and imports no platform.
 */
import { fail } from "../failures/fail.ts";
import { ok, type Refused, type Result } from "../result.ts";

export interface ArchiveFile {
  /** Relative, with `/`, as in the archive. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable?: boolean;
}

/** Platform functions: node:zlib and node:crypto in both callers. */
export interface ArchiveCodec {
  /** Throws when the result would be larger than `maxBytes`. */
  inflateRaw(bytes: Uint8Array, maxBytes: number): Uint8Array;
  deflateRaw(bytes: Uint8Array): Uint8Array;
  gunzip(bytes: Uint8Array, maxBytes: number): Uint8Array;
  gzip(bytes: Uint8Array): Uint8Array;
  crc32(bytes: Uint8Array): number;
  sha256(bytes: Uint8Array): Uint8Array;
}

export interface ArchiveLimits {
  readonly maxArchiveBytes: number;
  readonly maxFiles: number;
  readonly maxTotalBytes: number;
}

/** Far above any legitimate tool package, far below what harms the machine. */
export const ARCHIVE_LIMITS: ArchiveLimits = {
  maxArchiveBytes: 128 * 1024 * 1024,
  maxFiles: 20_000,
  maxTotalBytes: 512 * 1024 * 1024,
};

const MAX_PATH_CHARS = 400;
const MAX_SEGMENT_CHARS = 200;

/** Why a path must not be unpacked; undefined when it may. */
export function pathFault(path: string): string | undefined {
  if (path === "" || path.length > MAX_PATH_CHARS) return `must have 1 to ${MAX_PATH_CHARS} characters`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\x00-\x1f\x7f\\]/.test(path)) return "contains a control character or a backslash";
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "is absolute";
  const segments = path.split("/");
  if (segments.includes("..")) return "leaves the folder with '..'";
  if (segments.some((segment) => segment === "" || segment === ".")) return "has an empty or '.' segment";
  if (segments.some((segment) => segment.length > MAX_SEGMENT_CHARS)) return "has a name that is too long";
  return undefined;
}

/** Collects files one by one and refuses the first that breaks a rule. */
export class ArchiveReader {
  readonly files: ArchiveFile[] = [];
  readonly #paths = new Set<string>();
  readonly #limits: ArchiveLimits;
  #totalBytes = 0;

  constructor(limits: ArchiveLimits) {
    this.#limits = limits;
  }

  /** Call before inflating: an entry's declared size is enough to refuse it. */
  announce(path: string, sizeBytes: number): Result<true> {
    const fault = pathFault(path);
    if (fault) return refuseArchive(`the path ${JSON.stringify(path.slice(0, 120))} ${fault}`);
    if (this.#paths.has(path)) return refuseArchive(`it contains ${path} twice`);
    this.#paths.add(path);
    this.#totalBytes += sizeBytes;
    if (this.#paths.size > this.#limits.maxFiles)
      return refuseArchive(`it contains more than ${this.#limits.maxFiles} files`);
    if (this.#totalBytes > this.#limits.maxTotalBytes) {
      return refuseArchive(`unpacked it is larger than ${this.#limits.maxTotalBytes} bytes`);
    }
    return ok(true);
  }

  add(file: ArchiveFile): void {
    this.files.push(file);
  }

  /** A file that is also another file's folder cannot be written; only a crafted archive contains one. */
  finish(): Result<ArchiveFile[]> {
    for (const { path } of this.files) {
      for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
        const folder = path.slice(0, at);
        if (this.#paths.has(folder)) return refuseArchive(`${folder} is a file and a folder`);
      }
    }
    return ok(this.files);
  }
}

export const refuseArchive = (why: string): Refused => fail("archive_refused", { why });
