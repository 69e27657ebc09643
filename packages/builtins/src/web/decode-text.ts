/**
 * Decodes bytes in the declared encoding: byte order mark, then header, then the document's own declaration,
 * in the order of the HTML standard. Default: UTF-8, or windows-1252 if it is not valid UTF-8.
 */

const PRESCANNED_BYTES = 2_048; // the standard reads 1,024; some pages have long heads
const META_CHARSET = /<meta\s[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)/i;
const XML_ENCODING = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]+)/i;
const HEADER_CHARSET = /;\s*charset\s*=\s*["']?\s*([\w.:-]+)/i;

export function decodeText(bytes: Uint8Array, contentType: string | null, isMarkup: boolean): string {
  const label =
    byteOrderMark(bytes) ??
    known(HEADER_CHARSET.exec(contentType ?? "")?.[1]) ??
    (isMarkup ? declaredInside(bytes) : undefined);
  // A NUL cannot be stored in a JSON column, and has no meaning in text.
  return decodeAs(label, bytes).replaceAll("\0", "\ufffd");
}

function decodeAs(label: string | undefined, bytes: Uint8Array): string {
  // `stream` drops an incomplete character at the end, where a body was cut.
  if (label !== undefined) return new TextDecoder(label).decode(bytes, { stream: true });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

function byteOrderMark([a, b, c]: Uint8Array): string | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return a === 0xff && b === 0xfe ? "utf-16le" : undefined;
}

function declaredInside(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, PRESCANNED_BYTES));
  const label = known(XML_ENCODING.exec(start)?.[1] ?? META_CHARSET.exec(start)?.[1]);
  // A document readable as ASCII up to here is not UTF-16, whatever it declares.
  return label?.startsWith("utf-16") ? "utf-8" : label;
}

function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}
