/**
 * JavaScript in ASCII alone. V8 holds a file with a single character beyond it in two bytes per character, which is 5 MB
 * more for the server. Escapes mean the same in strings, templates and regular expressions; in `String.raw` only in the
 * latter, and we use it for nothing else.
 */
export function escapeBeyondAscii(code: string): string {
  return code.replace(/(\\*)([\u0080-\uffff])/g, (_, slashes: string, character: string) => {
    const kept = slashes.length % 2 === 1 ? slashes.slice(1) : slashes; // `\é` is `é`, and needs no second backslash
    return `${kept}\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
