/** An animated PNG of several pictures of one size. Each frame holds only the rectangle that changed, so that it stays small. */
import { chunk, header, type Pixels, packed, readPng, SIGNATURE } from "./png-pixels.ts";

export interface Frame {
  readonly png: Buffer;
  readonly ms: number;
}

export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export function animatedPng(frames: readonly Frame[]): Buffer {
  let before: Pixels | undefined;
  let order = 0;
  const parts: Buffer[] = [];
  for (const { png, ms } of frames) {
    const whole = readPng(png);
    const place = before
      ? changed(before, whole)
      : { left: 0, top: 0, width: whole.width, height: whole.height };
    parts.push(chunk("fcTL", control(order++, place, ms)));
    const data = packed(cut(whole, place));
    parts.push(before ? chunk("fdAT", Buffer.concat([number(order++), data])) : chunk("IDAT", data));
    before = whole;
  }
  if (!before) throw new Error("an animation of no picture");
  const animation = chunk("acTL", Buffer.concat([number(frames.length), number(0)])); // 0: for ever
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header(before)),
    animation,
    ...parts,
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** The smallest rectangle outside which both are the same; one pixel where nothing changed, as the format wants some. */
export function changed(one: Pixels, other: Pixels): Rectangle {
  if (one.width !== other.width || one.height !== other.height || one.channels !== other.channels)
    throw new Error("frames of different kinds");
  const { width, height, channels } = one;
  const isSame = (x: number, y: number): boolean => {
    const at = (y * width + x) * channels;
    return one.bytes.compare(other.bytes, at, at + channels, at, at + channels) === 0;
  };
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (isSame(x, y)) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = y;
    }
  }
  if (right < 0) return { left: 0, top: 0, width: 1, height: 1 };
  return { left, top, width: right - left + 1, height: bottom - top + 1 };
}

export function cut({ width, channels, bytes }: Pixels, place: Rectangle): Pixels {
  const rows = Array.from({ length: place.height }, (_, y) => {
    const from = ((place.top + y) * width + place.left) * channels;
    return bytes.subarray(from, from + place.width * channels);
  });
  return { width: place.width, height: place.height, channels, bytes: Buffer.concat(rows) };
}

/** Where a frame stands and how long it is shown; it replaces what is below it and stays. */
function control(order: number, { left, top, width, height }: Rectangle, ms: number): Buffer {
  const delay = Buffer.alloc(6);
  delay.writeUInt16BE(ms, 0);
  delay.writeUInt16BE(1000, 2);
  return Buffer.concat([number(order), number(width), number(height), number(left), number(top), delay]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
