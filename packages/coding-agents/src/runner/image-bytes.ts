/**
 * Whether an image has its declared type, by its first bytes and its end: programs and providers drop invalid ones or
 * refuse them late.
 *
 * Pixels are not decoded.
 */
type Check = (bytes: Buffer) => "whole" | "cut" | undefined;

const startsWith = (bytes: Buffer, ...first: readonly number[]) =>
  first.every((byte, index) => bytes[index] === byte);
const wholeIf = (isWhole: boolean) => (isWhole ? "whole" : "cut");

/** Absent: not an image of this kind. */
const KINDS: readonly (readonly [type: string, check: Check])[] = [
  [
    "image/png",
    (bytes) =>
      startsWith(bytes, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
        ? wholeIf(bytes.lastIndexOf("IEND") + 8 <= bytes.length && bytes.includes("IEND"))
        : undefined,
  ],
  [
    "image/jpeg",
    (bytes) =>
      startsWith(bytes, 0xff, 0xd8, 0xff)
        ? wholeIf(bytes.lastIndexOf("ffd9", undefined, "hex") > 2)
        : undefined,
  ],
  [
    "image/gif",
    (bytes) =>
      /^GIF8[79]a/.test(bytes.toString("latin1", 0, 6))
        ? wholeIf(bytes.length > 13 && bytes.lastIndexOf(0x3b) > 12)
        : undefined,
  ],
  [
    "image/webp",
    (bytes) =>
      /^RIFF[\s\S]{4}WEBP/.test(bytes.toString("latin1", 0, 12))
        ? wholeIf(bytes.length >= bytes.readUInt32LE(4) + 8 && bytes.length > 20)
        : undefined,
  ],
];

/** The media type of an image, by its first bytes. */
export const imageKind = (bytes: Buffer): string | undefined =>
  KINDS.find(([, check]) => check(bytes) !== undefined)?.[0];

/** What is wrong with an image of this media type, in words that follow its name; absent: nothing. */
export function imageFault(bytes: Buffer, mimeType: string): string | undefined {
  if (bytes.length === 0) return "is empty";
  const declared = mimeType.toLowerCase().replace("image/jpg", "image/jpeg");
  const found = KINDS.map(([type, check]) => ({ type, state: check(bytes) })).find(({ state }) => state);
  if (found?.type !== declared) return `is declared as ${declared} and is ${found?.type ?? "no image"}`;
  return found.state === "cut" ? `breaks off: it is not a whole ${declared}` : undefined;
}
