/** Decodes and encodes PNGs, for Chromium's screenshots: 8 bits a channel, RGB or RGBA, not interlaced. */
import { crc32, deflateSync, inflateSync } from "node:zlib";

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Bytes of a pixel: 3 without transparency, 4 with it. */
  readonly channels: 3 | 4;
  readonly bytes: Buffer;
}

export const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const RGB = 2;
const RGBA = 6;

export interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

export function* chunksOf(png: Buffer): Generator<Chunk> {
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const data = png.subarray(at + 8, at + 8 + length);
    yield { type: png.toString("latin1", at + 4, at + 8), data };
    at += length + 12;
  }
}

export function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

export function header({ width, height, channels }: Pixels): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data[8] = 8;
  data[9] = channels === 4 ? RGBA : RGB;
  return data;
}

export function readPng(png: Buffer): Pixels {
  const chunks = [...chunksOf(png)];
  const head = chunks.find(({ type }) => type === "IHDR")?.data;
  if (head?.[8] !== 8 || head[12] !== 0) throw new Error("a PNG of another kind than Chromium's");
  const channels = head[9] === RGBA ? 4 : 3;
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const packed = chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data);
  return {
    width,
    height,
    channels,
    bytes: unfiltered(inflateSync(Buffer.concat(packed)), width * channels, channels),
  };
}

/** The rows as they are stored: each as the difference to the one above, which suits screens. */
export function packed({ width, height, channels, bytes }: Pixels): Buffer {
  const row = width * channels;
  const out = Buffer.alloc((row + 1) * height);
  for (let y = 0; y < height; y++) {
    out[y * (row + 1)] = 2;
    for (let x = 0; x < row; x++) {
      const above = y === 0 ? 0 : (bytes[(y - 1) * row + x] ?? 0);
      out[y * (row + 1) + 1 + x] = (bytes[y * row + x] ?? 0) - above;
    }
  }
  return deflateSync(out, { level: 9, memLevel: 9 });
}

/** Undoes the five filters of the format. */
function unfiltered(rows: Buffer, row: number, channels: number): Buffer {
  const height = rows.length / (row + 1);
  const out = Buffer.alloc(row * height);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (row + 1)] ?? 0;
    for (let x = 0; x < row; x++) {
      const left = x < channels ? 0 : (out[y * row + x - channels] ?? 0);
      const above = y === 0 ? 0 : (out[(y - 1) * row + x] ?? 0);
      const corner = y === 0 || x < channels ? 0 : (out[(y - 1) * row + x - channels] ?? 0);
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter] ?? 0;
      out[y * row + x] = (rows[y * (row + 1) + 1 + x] ?? 0) + guess;
    }
  }
  return out;
}

function paeth(left: number, above: number, corner: number): number {
  const sum = left + above - corner;
  const [a, b, c] = [Math.abs(sum - left), Math.abs(sum - above), Math.abs(sum - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}
