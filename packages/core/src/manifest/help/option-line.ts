/**
 * One option as a help text lists it: `-o, --output <file>  Where to write.`, in the notations of the usual libraries
 * (commander, yargs, argparse, click, clap, cobra, GNU) and of programs that print their help by hand.
 */

export interface HelpOption {
  /** As the program spells it, all spellings. */
  readonly flags: readonly string[];
  /** The placeholder of its value; undefined = the text shows none. */
  readonly placeholder?: string;
  readonly valueIsOptional: boolean;
  /** `--arg a v` takes two words, which a single parameter cannot give. */
  readonly takesSeveralWords: boolean;
  readonly description: string;
  readonly section: string;
}

interface Spelling {
  readonly flag: string;
  readonly placeholder?: string;
  readonly optional: boolean;
  readonly several: boolean;
  readonly length: number;
}

const FLAG = /^(--?[A-Za-z][\w.-]*)/;
/** `=FILE`, `[=FILE]`, ` <file>`, ` [file]`, ` {a,b}`, ` FILE`, `=a|b`. */
const JOINED_VALUE = /^(\[)?=(<[^>]*>|\{[^}]*\}|[^\s,\]]+(?:,[^\s,\]]+)*(?:\[[^\]]*\])?)\]?/;
const BRACKET_VALUE = /^ (<[^>]*>|\[[^\]]*\]|\{[^}]*\})(?:\.\.\.)?/;
const UPPER_VALUE = /^ ([A-Z][A-Z0-9_:|-]*(?:,[A-Z0-9]+)*(?:\.{2,3})?(?:\[[^\]]*\])?)(?=[\s,]|$)/;
/** Lower-case words count as a value only when a gap or the end of the line follows them. */
const WORD_VALUE = /^ ([a-z][\w[\]:,|=-]*(?:\.{2,3})?(?: [a-z][\w-]*){0,2})(?= {2,}|$)/;
/** `-C[WHEN]`: an optional value, directly after a letter. */
const ATTACHED_VALUE = /^\[([^\]=]+)\](?=\s|,|$)/;
/** `-Tv  - Set output format to 'v'`, `-ofile - Write output to 'file'`: the text quotes the value that stands behind the letter. */
const QUOTED_VALUE = /^-([A-Za-z])([a-z]\w*(?:=\w+)?)(?= {2,}|\s+- )/;
const SEPARATOR = /^(?:,\s*|\s*\|\s*|\s*\/\s*(?=--?\w)|\s+(?=--?[A-Za-z]))/;

/** Undefined when the line is not an option. */
export function readOptionLine(
  text: string,
): (Omit<HelpOption, "description" | "section"> & { rest: string }) | undefined {
  const spellings: Spelling[] = [];
  let rest = text;
  for (;;) {
    const next = readSpelling(rest);
    if (!next) break;
    spellings.push(next);
    rest = rest.slice(next.length);
    const separator = SEPARATOR.exec(rest);
    if (!separator || !FLAG.test(rest.slice(separator[0].length))) break;
    rest = rest.slice(separator[0].length);
  }
  if (spellings.length === 0) return undefined;
  if (rest !== "" && !/^(\s|:)/.test(rest)) return undefined; // `-5 and more` is prose
  const valued = spellings.find(({ placeholder }) => placeholder !== undefined);
  return {
    flags: spellings.map(({ flag }) => flag),
    ...(valued?.placeholder !== undefined && { placeholder: valued.placeholder }),
    valueIsOptional: valued?.optional ?? false,
    takesSeveralWords: spellings.some(({ several }) => several),
    rest: rest.replace(/^\s*(?:--?|:)?\s+/, "").trim(),
  };
}

function readSpelling(text: string): Spelling | undefined {
  const attached = attachedValue(text);
  if (attached) return attached;
  const flag = FLAG.exec(text)?.[1]?.replace(/[.]+$/, "");
  if (flag === undefined) return undefined;
  const after = text.slice(flag.length);
  const joined = JOINED_VALUE.exec(after);
  const value = joined?.[2] ?? firstOf(after);
  if (value === undefined) return { flag, optional: false, several: false, length: flag.length };
  const length = flag.length + (joined?.[0].length ?? lengthOf(after));
  const words = value.split(" ");
  return {
    flag,
    placeholder: value.replaceAll(/^[<[{]+|[>\]}]+$/g, ""),
    optional: joined?.[1] !== undefined || (value.startsWith("[") && !/^\[[a-z]+\|/.test(value)),
    several: words.length > 1 && words.every((word) => word.length === 1),
    length,
  };
}

/** Programs that write a letter and its value as one word also take them as two. */
function attachedValue(text: string): Spelling | undefined {
  const [, letter, value = ""] = QUOTED_VALUE.exec(text) ?? [];
  const isQuoted = value.split("=").every((word) => text.includes(`'${word}'`));
  if (letter !== undefined && isQuoted)
    return {
      flag: `-${letter}`,
      placeholder: value,
      optional: false,
      several: false,
      length: value.length + 2,
    };
  const flag = /^-[A-Za-z](?=\[)/.exec(text)?.[0];
  const optional = flag && ATTACHED_VALUE.exec(text.slice(flag.length));
  return optional
    ? {
        flag,
        placeholder: optional[1] ?? "",
        optional: true,
        several: false,
        length: flag.length + optional[0].length,
      }
    : undefined;
}

const VALUES = [BRACKET_VALUE, UPPER_VALUE, WORD_VALUE];
const matchOf = (after: string) => VALUES.map((pattern) => pattern.exec(after)).find((match) => match);
const firstOf = (after: string): string | undefined => matchOf(after)?.[1];
const lengthOf = (after: string): number => matchOf(after)?.[0].length ?? 0;
