/** The positional arguments of a usage line such as `jq [options] <filter> [file...]`, and options that only it names. */

export interface HelpPositional {
  readonly name: string;
  readonly required: boolean;
  readonly repeatable: boolean;
}

export interface UsageOption {
  readonly flag: string;
  readonly placeholder?: string;
}

export interface Usage {
  readonly positionals: readonly HelpPositional[];
  readonly options: readonly UsageOption[];
  /** True when the line has arguments that cannot be told apart, such as those of a subcommand or an example. */
  readonly isUnclear: boolean;
}

/** Words of a usage line that stand for the options listed below it, or for a subcommand. */
const NOT_AN_ARGUMENT = /^(\w+[ -])*(options?|flags?|opts|switches|command|subcommand|cmd|args for .*)$/i;

/** `line`: what stands behind the program's name. */
export function readUsage(line: string): Usage {
  const positionals: HelpPositional[] = [];
  const options: UsageOption[] = [];
  let words = usageWords(line);
  for (let [word, next = ""] = words; word !== undefined; [word, next = ""] = words) {
    const inner = stripBrackets(word);
    const option = optionOf(inner.text, inner.text === word ? next : "");
    words = words.slice(option?.takesNext ? 2 : 1);
    if (option) options.push(option.read);
    else addAll(positionals, quotedWords(inner));
  }
  const isSentence = usageWords(line).filter((word) => BARE_WORD.test(word)).length > MAX_BARE_WORDS;
  const isUnclear = isSentence || /[<[](sub)?(command|cmd)\b/i.test(line);
  return { positionals: isSentence ? [] : positionals, options, isUnclear };
}

const BARE_WORD = /^[a-z][\w-]*$/;
const MAX_BARE_WORDS = 2; // `cmp file1 file2`; more of them are a sentence

/** `next`: the word after a flag without brackets, which may be its value. */
function optionOf(text: string, next: string): { read: UsageOption; takesNext: boolean } | undefined {
  const [, flag, value] = /^(-{1,2}[A-Za-z][\w-]*)(?:[ =](.+))?$/.exec(text) ?? [];
  if (flag === undefined) return undefined;
  const takesNext = value === undefined && VALUE_WORD.test(next);
  const placeholder = (takesNext ? next : (value ?? "")).replaceAll(/[<>[\]{}]/g, "").trim();
  return { read: { flag, ...(placeholder && { placeholder }) }, takesNext };
}

/** After a flag of its own: `-i FILE`, `-i <file>`. */
const VALUE_WORD = /^(<[^>]+>|[A-Z][A-Z0-9_]*)$/;

/** `<version> [<version> [...]]` is one argument, given once or more. */
function add(positionals: HelpPositional[], next: HelpPositional | undefined): void {
  if (!next) return;
  const last = positionals.at(-1);
  if (last && (last.name === next.name || next.name === ""))
    positionals[positionals.length - 1] = { ...last, repeatable: true };
  else if (next.name !== "") positionals.push(next);
}

const addAll = (positionals: HelpPositional[], found: readonly Inner[]): void => {
  for (const each of found) add(positionals, positionalOf(each));
};

interface Inner {
  readonly text: string;
  readonly required: boolean;
  readonly repeatable: boolean;
}

function positionalOf({ text, required, repeatable }: Inner): HelpPositional | undefined {
  if (text.startsWith("-")) return undefined;
  const dots = /\.\.\.|…/.test(text);
  const words = text
    .replaceAll(/\[[^\]]*\boptions\]/gi, "")
    .replaceAll(/\.\.\.|…/g, "")
    .replaceAll(/[<>[\]{}'"]/g, "")
    .trim();
  if (NOT_AN_ARGUMENT.test(words) || /[=]/.test(words)) return undefined;
  const name = words
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^[-0-9]+|-+$/g, "")
    .slice(0, 40);
  if (name === "" && !dots) return undefined;
  const isPlural = /(^|-)(files|paths|args|arguments|inputs|infiles|sources|packages|urls)$/.test(name);
  return { name, required, repeatable: repeatable || dots || isPlural };
}

/** `['from-unit' 'to-unit']` are two arguments. */
function quotedWords(inner: Inner): Inner[] {
  const words = inner.text.match(/'[^']+'|"[^"]+"/g) ?? [];
  const isAll = words.length > 1 && words.join(" ") === inner.text.replaceAll(/\s+/g, " ");
  return isAll ? words.map((text) => ({ ...inner, text: text.slice(1, -1) })) : [inner];
}

function stripBrackets(word: string): Inner {
  const repeatable = /(\.\.\.|…)$/.test(word);
  const bare = word.replace(/(\.\.\.|…)$/, "");
  const required = !bare.startsWith("[");
  const text = /^[[{<].*[\]}>]$/.test(bare) ? bare.slice(1, -1).trim() : bare;
  const inGroup = /^\[[^\]]*\boptions\]\s*(.*)$/i.exec(text)?.[1];
  return { text: inGroup ?? text, required, repeatable };
}

/** Words of the line; text in brackets is one word, also with nested brackets. */
function usageWords(line: string): string[] {
  let depth = 0;
  const marked = [...line].map((character) => {
    if ("[<{(".includes(character)) depth++;
    if ("]>})".includes(character)) depth = Math.max(0, depth - 1);
    return character === " " && depth === 0 ? "\n" : character;
  });
  return marked.join("").split("\n").filter(Boolean);
}
