/** The target of a link or image, escaped for Markdown; undefined for anything that is not an address, such as `javascript:`. */

const NO_ADDRESS = /^(?:javascript|vbscript|data|blob|about):/i;
const SCHEME = /^[a-z][a-z\d+.-]*:/i;
const UNSAFE = /[\s<>\\]/g;

export function linkTarget(href: string | undefined, baseUrl: string | undefined): string | undefined {
  const written = href?.replace(/[\t\n\r]/g, "").trim();
  if (!written || NO_ADDRESS.test(written)) return undefined;
  const isRelative = baseUrl !== undefined && !SCHEME.test(written) && !written.startsWith("#");
  const address = isRelative ? (URL.parse(written, baseUrl)?.href ?? written) : written;
  const safe = address.replace(UNSAFE, encodeURIComponent);
  return isBalanced(safe) ? safe : safe.replaceAll("(", "%28").replaceAll(")", "%29");
}

/** `Foo_(bar)` is allowed in a link; an unbalanced parenthesis would end it. */
function isBalanced(address: string): boolean {
  if (!address.includes("(") && !address.includes(")")) return true;
  let open = 0;
  for (const char of address) {
    if (char === "(") open++;
    else if (char === ")" && --open < 0) return false;
  }
  return open === 0;
}
