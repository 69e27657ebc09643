/** Node's compression and hashes, in the form core's archive readers and writers need. */
import { createHash } from "node:crypto";
import { crc32, deflateRawSync, gunzipSync, gzipSync, inflateRawSync } from "node:zlib";
import type { ArchiveCodec } from "@capstan/core/internal";

export const archiveCodec: ArchiveCodec = {
  inflateRaw: (bytes, maxOutputLength) => inflateRawSync(bytes, { maxOutputLength }),
  deflateRaw: (bytes) => deflateRawSync(bytes),
  gunzip: (bytes, maxOutputLength) => gunzipSync(bytes, { maxOutputLength }),
  gzip: (bytes) => gzipSync(bytes, { level: 9 }),
  crc32: (bytes) => crc32(bytes),
  sha256: (bytes) => createHash("sha256").update(bytes).digest(),
};
