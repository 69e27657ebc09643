/** Splits a command line as a shell would: quotes and backslashes keep spaces; nothing is expanded. */
const WORD = /\s*((?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+)/gy;
/** A backslash before an ordinary letter is kept: Windows paths have them. */
const PIECE = /\\([\s"'\\])|"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s"'\\]+|\\)/g;

/** Undefined when a quote is not closed. */
export function commandWords(line: string): string[] | undefined {
  const words: string[] = [];
  let read = 0;
  for (const match of line.matchAll(WORD)) {
    words.push(unquoted(match[1] ?? ""));
    read = match.index + match[0].length;
  }
  return line.slice(read).trim() === "" ? words : undefined;
}

const unquoted = (word: string): string =>
  word.replaceAll(
    PIECE,
    (_all, escaped, double, single, plain) =>
      escaped ?? double?.replaceAll(/\\(["\\$`])/g, "$1") ?? single ?? plain,
  );
