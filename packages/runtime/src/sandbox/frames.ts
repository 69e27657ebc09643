/**
 * The protocol between the server and a sandbox child: a length-prefixed JSON head, then raw file contents.
 *
 * Imported by both sides, so it must import nothing: the child can only read this folder and its interpreter.
 */

/** A file in a frame; `size` -1 means it was deleted. */
export interface FramePart {
  readonly path: string;
  readonly size: number;
}

export interface Frame {
  readonly head: unknown;
  readonly files: ReadonlyMap<string, Uint8Array | null>;
}

export interface FrameLimits {
  readonly headBytes: number;
  readonly fileBytes: number;
}

const PREFIX_BYTES = 4;

export function encodeFrame(
  head: object,
  files: ReadonlyMap<string, Uint8Array | null> = new Map(),
): Buffer[] {
  const parts: FramePart[] = [];
  const bodies: Buffer[] = [];
  for (const [path, content] of files) {
    parts.push({ path, size: content === null ? -1 : content.byteLength });
    if (content) bodies.push(Buffer.from(content.buffer, content.byteOffset, content.byteLength));
  }
  const json = Buffer.from(JSON.stringify({ head, parts }));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(json.length);
  return [prefix, json, ...bodies];
}

/** Buffers bytes until a frame is complete. A frame over the limits is refused before it is buffered. */
export class FrameReader {
  readonly #limits: FrameLimits;
  #chunks: Buffer[] = [];
  #available = 0;
  #headBytes: number | undefined;
  #open: { head: unknown; parts: FramePart[]; bodyBytes: number } | undefined;

  constructor(limits: FrameLimits) {
    this.#limits = limits;
  }

  /** Throws when the other side violates the protocol; it must not be trusted afterwards. */
  push(chunk: Buffer): Frame[] {
    this.#chunks.push(chunk);
    this.#available += chunk.length;
    const frames: Frame[] = [];
    for (let frame = this.#next(); frame; frame = this.#next()) frames.push(frame);
    return frames;
  }

  #next(): Frame | undefined {
    this.#open ??= this.#readHead();
    if (!this.#open || this.#available < this.#open.bodyBytes) return undefined;
    const { head, parts, bodyBytes } = this.#open;
    const body = this.#take(bodyBytes);
    this.#open = undefined;
    const files = new Map<string, Uint8Array | null>();
    let at = 0;
    for (const { path, size } of parts) {
      files.set(path, size < 0 ? null : body.subarray(at, at + size));
      at += Math.max(0, size);
    }
    return { head, files };
  }

  #readHead(): { head: unknown; parts: FramePart[]; bodyBytes: number } | undefined {
    this.#headBytes ??= this.#readPrefix();
    if (this.#headBytes === undefined || this.#available < this.#headBytes) return undefined;
    const { head, parts } = parseHead(this.#take(this.#headBytes).toString("utf8"));
    this.#headBytes = undefined;
    let bodyBytes = 0;
    for (const { size } of parts) bodyBytes += Math.max(0, size);
    if (bodyBytes > this.#limits.fileBytes) throw new Error(`files of ${bodyBytes} bytes`);
    return { head, parts, bodyBytes };
  }

  #readPrefix(): number | undefined {
    if (this.#available < PREFIX_BYTES) return undefined;
    const length = this.#take(PREFIX_BYTES).readUInt32BE();
    if (length > this.#limits.headBytes) throw new Error(`a frame head of ${length} bytes`);
    return length;
  }

  #take(bytes: number): Buffer {
    const all = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    const rest = all?.subarray(bytes);
    this.#chunks = rest && rest.length > 0 ? [rest] : [];
    this.#available -= bytes;
    return all?.subarray(0, bytes) ?? Buffer.alloc(0);
  }
}

function parseHead(json: string): { head: unknown; parts: FramePart[] } {
  const value = JSON.parse(json) as { head?: unknown; parts?: unknown } | null;
  const parts = Array.isArray(value?.parts) ? (value.parts as FramePart[]) : [];
  const sound = parts.every(
    (part) => typeof part?.path === "string" && Number.isInteger(part.size) && part.size >= -1,
  );
  if (!sound) throw new Error("a file without a path or a size");
  return { head: value?.head, parts };
}
