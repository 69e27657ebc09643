/**
 * The text of `--help` as lines: colours, overstrikes of man pages and bullets are gone, tabs are spaces.
 * A heading is a line of its own that ends in a colon, is written in capitals, as man pages do, or is one of the usual words.
 */

export interface HelpLine {
  readonly text: string;
  /** Columns of space before the text; -1 for an empty line. */
  readonly indent: number;
  /** The heading that it stands under, in lower case; empty before the first. */
  readonly section: string;
}

const MAX_CHARS = 200_000;
const TAB = "        ";
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals' own control characters are what is removed
const CONTROLS = /\u001b\[[0-9;?]*[A-Za-z]|\u001b\][^\u0007]*\u0007|.\u0008|[\u0000-\u0008\u000b-\u001a]/g;

export function helpLines(text: string): HelpLine[] {
  const clean = text
    .slice(0, MAX_CHARS)
    .replaceAll("\r\n", "\n")
    .replaceAll(CONTROLS, "")
    .replaceAll(/[\u2010-\u2012\u2212]\n\s*/g, "-") // man pages break words at hyphens
    .replaceAll(/[\u2010-\u2012\u2212]/g, "-")
    .replaceAll("\t", TAB);
  let section = "";
  return clean.split("\n").map((raw) => {
    const line = raw.replace(/^(\s*)[•*]\s+(?=-)/, "$1").trimEnd();
    const body = line.trimStart();
    if (body === "") return { text: "", indent: -1, section };
    const title = headingOf(line);
    if (title !== undefined) section = title;
    return { text: body, indent: line.length - body.length, section };
  });
}

/** As small libraries write them, without a colon. */
const HEADING_WORD = /^(?:Usage|Options|Flags|Arguments|Commands|Examples?)$/;

/** `Options:`, `These are common commands:`, `OPTIONS`, `Options`. */
function headingOf(line: string): string | undefined {
  const body = line.trim();
  const indent = line.length - line.trimStart().length;
  if (indent > 3 || body.startsWith("-")) return undefined;
  if (/^[A-Z][A-Z ]{2,40}$/.test(body) && indent === 0) return body.toLowerCase();
  if (HEADING_WORD.test(body) && indent === 0) return body.toLowerCase();
  const said = body.replaceAll(/<((?:sub)?commands?|options?)>/gi, "$1"); // "where <command> is one of:"
  if (/^[A-Za-z][^<>[\]]{2,90}:$/.test(said)) return said.slice(0, -1).toLowerCase();
  return undefined;
}
