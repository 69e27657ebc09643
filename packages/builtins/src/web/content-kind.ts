/** Whether a response is text a model can read, and whether it is HTML: by its declared type, otherwise by its bytes. */

const TEXT_TYPES =
  /^(?:text\/.+|image\/svg\+xml|message\/.+|multipart\/.+|application\/(?:.+\+)?(?:json|xml|yaml|x-yaml|toml|javascript|ecmascript|x-javascript|typescript|ld\+json|x-ndjson|jsonl?|json-seq|graphql|sql|x-sh|x-httpd-php|x-tex|x-www-form-urlencoded|rtf|csv|markdown|x-subrip|xhtml\+xml|x-perl|x-python))$/;
const HTML_TYPES = new Set(["text/html", "application/xhtml+xml"]);
const SNIFFED_BYTES = 1_024;

/** The type of a content-type header without its parameters, in lower case; empty when there is none. */
export function mediaType(contentType: string | null): string {
  return (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

export function isTextType(type: string): boolean {
  return TEXT_TYPES.test(type);
}

export function isHtmlType(type: string): boolean {
  return HTML_TYPES.has(type);
}

/** The type of a response that declares none. */
export function sniffType(bytes: Uint8Array): string {
  if (looksBinary(bytes)) return "application/octet-stream";
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, SNIFFED_BYTES)).trimStart().toLowerCase();
  return /^(?:<!doctype html|<html|<head|<body|<!--|<title|<h1|<div|<p\b)/.test(start)
    ? "text/html"
    : "text/plain";
}

/** Nearly every binary file contains a NUL, and no text except UTF-16, which starts with a byte order mark. */
export function looksBinary(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe);
  return !isUtf16 && bytes.subarray(0, SNIFFED_BYTES).includes(0);
}
