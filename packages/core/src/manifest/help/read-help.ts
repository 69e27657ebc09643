/**
 * Parses a program's `--help`: usage, options, subcommands and examples. Help is not written for
 * parsers, so anything ambiguous is left out and the proposal says so; nothing is guessed into a call.
 */
import { answerCodes, type ExitCodes } from "./exit-codes.ts";
import { type HelpLine, helpLines } from "./help-lines.ts";
import { type HelpOption, readOptionLine } from "./option-line.ts";
import { type HelpPositional, readUsage, type UsageOption } from "./usage-line.ts";

export interface HelpSubcommand {
  readonly name: string;
  readonly description: string;
}

export interface CommandHelp {
  /** Usage lines from the program's name on. */
  readonly usage: readonly string[];
  /** The sentence that says what it is for; empty when none was found. */
  readonly about: string;
  readonly positionals: readonly HelpPositional[];
  readonly options: readonly HelpOption[];
  readonly subcommands: readonly HelpSubcommand[];
  readonly examples: readonly string[];
  /** True when its arguments could not be told apart. */
  readonly isUnclear: boolean;
  /** True when the text says that it reads standard input. */
  readonly readsStdin: boolean;
  /** Exit codes besides 0 that are an answer. */
  readonly exitCodes?: ExitCodes | undefined;
  /** True when types stand behind each option, as yargs writes them: an option without one may still take a value. */
  readonly hasTypeNotes: boolean;
}

const MAX_EXAMPLES = 10;
const MAX_ABOUT_CHARS = 500;

/** `program`: its name; `words`: the subcommand that was asked about. */
export function readHelp(text: string, program: string, words: readonly string[] = []): CommandHelp {
  const lines = helpLines(text);
  const usage = usageOf(lines, program);
  const [main = ""] = usage;
  const { positionals, options: named, isUnclear } = readUsage(behindProgram(main, program, words));
  const examples = examplesOf(lines, program);
  const options = optionsOf(lines).map((option) =>
    withExampleValue(option, examples, positionals.length === 0),
  );
  return {
    usage,
    about: aboutOf(lines, program),
    positionals: positionals.map((each) => withoutProgram(each, program)),
    isUnclear,
    options: [...named.filter((each) => isNew(each, options)).map(fromUsage), ...options],
    subcommands: words.length > 0 ? [] : subcommandsOf(lines, program),
    examples,
    exitCodes: words.length > 0 ? undefined : answerCodes(program, text),
    readsStdin: /\bstdin\b|standard input|\bpiped?\b to/i.test(text),
    hasTypeNotes: /\[(boolean|string|number|array|count)\]\s*$/m.test(text),
  };
}

/** `<jq filter>` is the filter. */
const withoutProgram = (positional: HelpPositional, program: string): HelpPositional => ({
  ...positional,
  name: positional.name.replace(new RegExp(`^${program.replaceAll(/\W/g, "-")}-(?=.)`), ""),
});

/** Whether the text is help at all: a program without `--help` prints an error instead. */
export const isHelp = ({ usage, options, subcommands }: CommandHelp): boolean =>
  usage.length > 0 || options.length > 0 || subcommands.length > 0;

const USAGE_WORD = /^usage(?: information)?:?\s*/i;

function usageOf(lines: readonly HelpLine[], program: string): string[] {
  const own = (text: string) => text.startsWith(`${program} `) || text === program;
  const found: string[] = [];
  for (const [at, line] of lines.entries()) {
    const body = called(line.text.replace(USAGE_WORD, "").replace(/^[$>]\s+/, ""), program);
    const isMarked = USAGE_WORD.test(line.text) && body !== "";
    const named = isMarked && !own(body) ? `${program} ${body.split(" ").slice(1).join(" ")}`.trim() : body;
    const counts = isMarked || (own(body) && isUsagePlace(lines, at, found.length > 0, body));
    if (counts) found.push(`${named}${continued(lines, at, program)}`);
  }
  return found;
}

/** Under a heading about usage, right below a usage line, or at least in its form. */
const isUsagePlace = (lines: readonly HelpLine[], at: number, isBelow: boolean, body: string): boolean =>
  /^(synopsis|usage)$/.test(lines[at]?.section ?? "") ||
  (isBelow && isAfterUsage(lines, at)) ||
  /^\S+ \[/.test(body);

/** Programs print how they were started: by their path, or by the file of an interpreter. */
const called = (text: string, program: string): string =>
  text.replace(
    /^(?:node |npx |python3? (?:-m )?)?(?:\S*\/)?([\w.+-]+?)(?:\.[cm]?js|\.py)?(?= |$)/,
    (all, name) => (name === program ? program : all),
  );

/** The lines right below a usage line are other forms of it. */
const isAfterUsage = (lines: readonly HelpLine[], at: number): boolean => {
  for (let before = at - 1; before >= 0 && lines[before]?.indent !== -1; before--)
    if (USAGE_WORD.test(lines[before]?.text ?? "")) return true;
  return false;
};

function continued(lines: readonly HelpLine[], at: number, program: string): string {
  const more: string[] = [];
  for (const line of lines.slice(at + 1)) {
    const isMore = line.indent > 1 && /^[[<{-]/.test(line.text) && !line.text.startsWith(program);
    if (!isMore || /\S {2,}\S/.test(line.text.replaceAll(/\] +\[/g, "] ["))) break;
    more.push(line.text);
  }
  return more.map((text) => ` ${text.replaceAll(/\s+/g, " ")}`).join("");
}

function behindProgram(usage: string, program: string, words: readonly string[]): string {
  let rest = usage.slice(program.length).trim();
  for (const word of words) if (rest.startsWith(word)) rest = rest.slice(word.length).trim();
  return rest;
}

const isNew = ({ flag }: UsageOption, options: readonly HelpOption[]) =>
  !options.some(({ flags }) => flags.includes(flag));

const fromUsage = ({ flag, placeholder }: UsageOption): HelpOption => ({
  flags: [flag],
  ...(placeholder && { placeholder }),
  valueIsOptional: false,
  takesSeveralWords: false,
  description: "",
  section: "usage",
});

const NOT_OPTIONS = /^(usage|synopsis|examples?|getting help)/;

function optionsOf(lines: readonly HelpLine[]): HelpOption[] {
  const found: HelpOption[] = [];
  const known = new Set<string>();
  for (const [at, line] of lines.entries()) {
    if (!line.text.startsWith("-") || NOT_OPTIONS.test(line.section)) continue;
    const read = readOptionLine(line.text);
    if (!read || read.flags.some((flag) => known.has(flag))) continue;
    for (const flag of read.flags) known.add(flag);
    const { rest, ...option } = read;
    const description = [rest, ...below(lines, at)].join(" ").trim();
    found.push({ ...option, description, section: line.section });
  }
  return found;
}

/** A description continues in the deeper lines below, until the next option or an empty line. */
function below(lines: readonly HelpLine[], at: number): string[] {
  const own = lines[at]?.indent ?? 0;
  const more: string[] = [];
  for (const line of lines.slice(at + 1)) {
    if (line.indent <= own || line.text.startsWith("-")) break;
    more.push(line.text);
  }
  return more;
}

const COMMAND_SECTION = /\b(sub)?commands?\b/;
const OTHER_SECTION = /option|flag|example|argument|environment|usage|help/;

/** Groups below a heading about commands belong to it, as in git's help, until one about something else. */
function subcommandsOf(lines: readonly HelpLine[], program: string): HelpSubcommand[] {
  const found = new Map<string, HelpSubcommand>();
  let isInCommands = false;
  let section = "";
  for (const line of lines) {
    if (line.section !== section) {
      section = line.section;
      isInCommands = COMMAND_SECTION.test(section) || (isInCommands && !OTHER_SECTION.test(section));
    }
    if (!isInCommands || line.indent < 1) continue;
    const read = subcommandOf(line.text, program);
    if (read && !found.has(read.name)) found.set(read.name, read);
  }
  found.delete("help");
  return [...found.values()];
}

/** `add, a  Add files`, `ed (or edit)  - Edit files` and `tool add <file>  Add files`. */
function subcommandOf(text: string, program: string): HelpSubcommand | undefined {
  const bare = text.startsWith(`${program} `) ? text.slice(program.length + 1) : text;
  const [, name, description] =
    /^([a-z][\w:-]{0,40})(?:[,|] ?[\w-]+)*(?:\s+\((?:or|alias:?)\s[^)]*\))?(?: [<[][^ ].*?)?(?: {2,}|\s+-\s+)(\S.*)$/.exec(
      bare,
    ) ?? [];
  if (name === undefined || description === undefined) return undefined;
  return { name, description: description.replace(/^-\s+/, "").replace(/\s+\[default\]$/, "") };
}

function examplesOf(lines: readonly HelpLine[], program: string): string[] {
  const isCall = (text: string) =>
    text.split(/ *(?:[|;&]+|^\$) */).some((part) => part.startsWith(`${program} `));
  return lines
    .filter(({ section, text }) => section.startsWith("example") && isCall(text))
    .map(({ text }) => text.replace(/^\$ /, "").replaceAll(/ {2,}/g, "  # "))
    .slice(0, MAX_EXAMPLES);
}

/**
 * "tool --size 10" among the examples: `--size` takes a value, which the list of options may not say. A word behind an option is its
 * value only for a program without arguments; behind "=" it always is.
 */
function withExampleValue(
  option: HelpOption,
  examples: readonly string[],
  hasNoArguments: boolean,
): HelpOption {
  if (option.placeholder) return option;
  const own = option.flags.map((flag) => flag.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  const said = new RegExp(`\\s(?:${own})${hasNoArguments ? "[= ]" : "="}["']?([^\\s"'#|>&;-][^\\s"']*)`);
  const value = examples.map((example) => said.exec(example)?.[1]).find((found) => found !== undefined);
  return value === undefined ? option : { ...option, placeholder: /^\d+$/.test(value) ? "int" : "value" };
}

/** The first prose: a tagline, the paragraph under DESCRIPTION, or `name - what it is`. */
function aboutOf(lines: readonly HelpLine[], program: string): string {
  const named = lines.find(({ text }) => text.startsWith(`${program} - `));
  if (named)
    return named.text
      .slice(program.length + 3)
      .replace(/\s*\[?version.*$/i, "")
      .trim();
  const at = lines.findIndex((line) => isProse(line, program));
  if (at < 0) return "";
  const paragraph: string[] = [];
  for (const line of lines.slice(at)) {
    if (!isProse(line, program)) break;
    paragraph.push(line.text);
  }
  return paragraph.join(" ").slice(0, MAX_ABOUT_CHARS);
}

const isProse = ({ text, section }: HelpLine, program: string): boolean =>
  /^[A-Z].*[a-z)"'.]$/.test(text) &&
  text.split(" ").length >= 3 &&
  !text.endsWith(":") &&
  !text.startsWith("Copyright") &&
  !USAGE_WORD.test(text) &&
  !text.startsWith(program) &&
  !/^(example|option|getting help)/.test(section) &&
  !/\bv?\d+\.\d+\.\d+/.test(text);
