const MOST_BYTES = 1_000_000; // an editor in a page; larger files are downloaded

/** The bytes as text, or undefined when they are something else, or too many to edit here. */
export function readText(data: Uint8Array): string | undefined {
  if (data.byteLength > MOST_BYTES) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(data);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
