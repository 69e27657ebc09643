/**
 * A response body: decoded (gzip, br, zstd, deflate) and bounded. The limit counts the output of every decoder, so
 * that a small file which unpacks to gigabytes ends at the limit, with at most a few chunks in memory.
 */
import { PassThrough, pipeline, type Readable, Transform } from "node:stream";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from "node:zlib";

const MAX_ENCODINGS = 3; // each further one multiplies the expansion

/** What the stream ends with when the body is larger than allowed. */
export class BodyLimitError extends Error {
  constructor(limitBytes: number) {
    super(`The body is larger than ${limitBytes} bytes.`);
    this.name = "BodyLimitError";
  }
}

// A truncated body still gives what had arrived, as in browsers.
const zlib = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const brotli = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };

const DECODERS: Record<string, () => Transform> = {
  gzip: () => createGunzip(zlib),
  "x-gzip": () => createGunzip(zlib),
  deflate: () => createInflate(zlib),
  br: () => createBrotliDecompress(brotli),
  zstd: () => createZstdDecompress(),
};

/** Supported encodings, best first. */
export const ACCEPT_ENCODING = "br, zstd, gzip"; // not deflate: servers disagree on what it is

/** The names in a content-encoding header; undefined when one is unknown or there are too many. */
export function contentEncodings(header: string | undefined): string[] | undefined {
  const names = (header ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  return names.length <= MAX_ENCODINGS && names.every((name) => name in DECODERS) ? names : undefined;
}

/** `closed` is called once, when the body is read to its end, abandoned, or broken. */
export function boundedBody(
  raw: Readable,
  encodings: readonly string[],
  maxBytes: number,
  closed: () => void,
): Readable {
  const stages: Transform[] = [atMost(maxBytes)];
  for (const name of encodings.toReversed()) {
    stages.push((DECODERS[name] ?? (() => new PassThrough()))(), atMost(maxBytes));
  }
  const last = stages.at(-1) as Transform; // the list is never empty
  pipeline([raw, ...stages], closed);
  return last;
}

function atMost(maxBytes: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(new BodyLimitError(maxBytes));
      else done(null, chunk);
    },
  });
}
