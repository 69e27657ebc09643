/**
 * The name of a downloaded file: from Content-Disposition (RFC 6266, with `filename*` of RFC 5987 first), otherwise from the URL.
 * Directories in a name are dropped.
 */

const PARAMETER = /;\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;"]*)/gs;
const EXTENDED = /^([\w!#$%&+^`{}~-]+)'[\w-]*'([\w!#$&+.^`|~%-]*)$/;
const WITH_EXTENSION = /^[^.].*\.[A-Za-z\d]{1,10}$/;
const MAX_CHARS = 255;

export function responseFilename(contentDisposition: string | null, url: string): string | undefined {
  return fromDisposition(contentDisposition ?? "") ?? fromUrl(url);
}

function fromDisposition(header: string): string | undefined {
  const parameters = new Map<string, string>();
  for (const [, name = "", value = ""] of header.matchAll(PARAMETER)) {
    if (!parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), value.trim());
  }
  return (
    safeName(extendedValue(parameters.get("filename*"))) ?? safeName(plainValue(parameters.get("filename")))
  );
}

/** `UTF-8''gr%C3%B6%C3%9Fe.txt` */
function extendedValue(value: string | undefined): string | undefined {
  const [, charset = "", encoded = ""] = EXTENDED.exec(value ?? "") ?? [];
  if (!charset) return undefined;
  const bytes = encoded.replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  try {
    return new TextDecoder(charset, { fatal: true }).decode(Buffer.from(bytes, "latin1"));
  } catch {
    return undefined; // an unknown encoding, or invalid bytes: the plain name is used
  }
}

/** Quotes and backslashes removed. Header characters are bytes; many servers send UTF-8. */
function plainValue(value: string | undefined): string | undefined {
  const text = value?.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/gs, "$1") : value;
  if (text === undefined || !/[\x80-\xff]/.test(text)) return text;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(text, "latin1"));
  } catch {
    return text;
  }
}

function fromUrl(url: string): string | undefined {
  const last = URL.parse(url)?.pathname.split("/").at(-1) ?? "";
  try {
    const name = safeName(decodeURIComponent(last));
    return name !== undefined && WITH_EXTENSION.test(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

function safeName(name: string | undefined): string | undefined {
  const last = name?.split(/[\\/]/).at(-1) ?? "";
  const clean = last
    .replace(/\p{Cc}/gu, "")
    .trim()
    .slice(0, MAX_CHARS)
    .toWellFormed();
  return clean === "" || clean === "." || clean === ".." ? undefined : clean;
}
