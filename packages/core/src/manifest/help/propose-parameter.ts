/** From an option or argument of a help text to a parameter of a manifest. */
import type { ParameterDocument } from "../parameters.ts";
import type { HelpOption } from "./option-line.ts";
import type { HelpPositional } from "./usage-line.ts";

type Typed = Exclude<ParameterDocument, string>;

const MAX_DESCRIPTION_CHARS = 400;
const PATH_PLACEHOLDER =
  /(^|[^a-z])(in|out|input|output|config)?[ -]?(file|filename|filepath|path|dir|directory|folder)s?$/i;
const NUMBER_TYPES: Readonly<Record<string, "integer" | "number">> = {
  int: "integer",
  integer: "integer",
  uint: "integer",
  n: "integer",
  num: "number",
  number: "number",
  float: "number",
  bytes: "integer",
  count: "integer",
  cols: "integer",
  width: "integer",
  seconds: "number",
};
const LIST_TYPE = /^(strings|stringarray|stringslice|list)$/i;
const FLAG_NAME = /^-{1,2}[A-Za-z][A-Za-z0-9_.-]{0,59}$/;

/** The spelling that a reader understands: the first long one. */
export const flagOf = ({ flags }: Pick<HelpOption, "flags">): string =>
  flags.find((flag) => flag.startsWith("--")) ?? flags.find((flag) => flag.length > 2) ?? flags[0] ?? "";

/** Undefined when a manifest cannot express it. */
export function proposeOption(option: HelpOption, hasTypeNotes: boolean): Typed | undefined {
  const name = flagOf(option);
  if (!FLAG_NAME.test(name) || option.takesSeveralWords) return undefined;
  const { text, notes } = withoutNotes(option.description);
  const { placeholder = "" } = option;
  const repeatable = /\.\.\.$/.test(placeholder) || LIST_TYPE.test(placeholder) || notes.isList;
  return {
    name,
    ...(text && { description: text.slice(0, MAX_DESCRIPTION_CHARS) }),
    ...(repeatable && { multiple: true }),
    ...kindOf(option, notes, hasTypeNotes),
  };
}

function kindOf(
  { placeholder = "", description, valueIsOptional }: HelpOption,
  notes: Notes,
  hasTypeNotes: boolean,
): Pick<Typed, "type" | "choices"> {
  const choices = choicesOf(placeholder) ?? notes.choices ?? (placeholder && choicesInProse(description));
  if (choices) return { type: "option", choices };
  const type = notes.type ?? typeOf(placeholder);
  if (type !== undefined) return { type };
  // A switch, unless the list notes types but none for this one, or says "specify": then it may take a value or not.
  if (placeholder === "") return { type: hasTypeNotes || SAYS_VALUE.test(description) ? "option" : "flag" };
  return { type: valueIsOptional ? "option" : "string" };
}

/** "specify a units data file", "show output to specified number of digits". */
const SAYS_VALUE = /^specify |\bspecified (?:number|file|name|value)\b/i;

export function proposePositional({ name, required, repeatable }: HelpPositional): Typed {
  const isPath = /(^|-)(in|out|input|output)?(file|filename|path|dir|directory|folder)(?:s|\d)?(-|$)/.test(
    name,
  );
  return {
    name,
    type: isPath ? "path" : "argument",
    required,
    ...(repeatable && { multiple: true }),
  };
}

function typeOf(placeholder: string): "integer" | "number" | "path" | undefined {
  const word = placeholder.replace(/\.\.\.$/, "");
  return NUMBER_TYPES[word.toLowerCase()] ?? (PATH_PLACEHOLDER.test(word) ? "path" : undefined);
}

/** `always|avoid`, `a,b,c` of argparse. `STYLE|FILE` are two kinds of values, not two values. */
function choicesOf(placeholder: string): string[] | undefined {
  if (/\.{2,3}$/.test(placeholder)) return undefined; // "check1,check2..": a list, not choices
  const words = placeholder.split(/[|,]/).map((word) => word.trim());
  const isList = words.length > 1 && words.every((word) => /^[a-z0-9][\w.+-]*$/.test(word));
  return isList && words.length <= 100 ? words : undefined;
}

/** "Level can be one of: major, minor, or patch." */
function choicesInProse(description: string): string[] | undefined {
  const [, list] =
    /\bone of:?\s+((?:['"]?[\w.-]+['"]?,\s+){1,30}(?:or |and )?['"]?[\w-]+['"]?)/i.exec(description) ?? [];
  const words = list?.split(/,\s+(?:or |and )?|\s+or\s+/).map((word) => word.replaceAll(/['"]/g, ""));
  return words && words.length > 1 ? words : choicesAtEnd(description);
}

/** "Output format (checkstyle, diff, gcc, json)": three words or more in brackets at the end. "(e.g. a, b, c)" are examples. */
function choicesAtEnd(description: string): string[] | undefined {
  const [, list] = /\(((?:[a-z][\w-]*, ){2,30}(?:or |and )?[a-z][\w-]*)\)\.?$/.exec(description.trim()) ?? [];
  return list?.split(/, (?:or |and )?/);
}

interface Notes {
  readonly type?: "integer" | "number" | "string" | "flag";
  readonly choices?: string[];
  readonly isList: boolean;
}

const NOTED_TYPES = { number: "number", string: "string", boolean: "flag", count: "flag" } as const;

/** `[number]`, `[choices: "L", "M"]`, `[default: 3]`, `(default "x")`, `[possible values: a, b]`. */
function withoutNotes(description: string): { text: string; notes: Notes } {
  const [, word] = /\[(number|string|boolean|count)\]/.exec(description) ?? [];
  const [, list] = /[[(](?:choices|possible values|values):\s*([^\])]+)[\])]/i.exec(description) ?? [];
  const choices = list
    ?.split(/,\s*/)
    .map((each) => each.replaceAll(/^["']|["']$/g, "").trim())
    .filter((each) => each !== "");
  const text = description
    .replaceAll(/\s*\[(number|string|boolean|count|array|required)\]/g, "")
    .replaceAll(/\s*[[(](?:choices|possible values):\s*[^\])]+[\])]/gi, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  const type = word && NOTED_TYPES[word as keyof typeof NOTED_TYPES];
  return {
    text,
    notes: { ...(type && { type }), ...(choices && { choices }), isList: /\[array\]/.test(description) },
  };
}
