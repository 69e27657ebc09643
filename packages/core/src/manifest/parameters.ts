/**
 * The parameters of an action, in either form: the seed's strings (`"--limit"`, `"arg1"`) or typed objects.
 * A bare `"--x"` does not say whether it takes a value, so it accepts both: `true` passes the switch alone.
 */
import { z } from "zod";

const KINDS = ["argument", "option", "flag", "switch"] as const;
const VALUES = {
  string: "string",
  str: "string",
  text: "string",
  integer: "integer",
  int: "integer",
  number: "number",
  float: "number",
  boolean: "boolean",
  bool: "boolean",
  path: "path",
  file: "path",
  directory: "path",
  stdin: "string",
} as const;
type TypeWord = (typeof KINDS)[number] | keyof typeof VALUES;
const TYPE_WORDS = [...KINDS, ...Object.keys(VALUES)] as [TypeWord, ...TypeWord[]];

const NAME = /^-{0,2}[A-Za-z][A-Za-z0-9_.-]{0,59}$/;
/** `--limit`, `--limit N`, `--limit=N`, `<arg>`, `[arg]`, `args...` */
const WRITTEN =
  /^(\[?)<?(-{0,2}[A-Za-z](?:[A-Za-z0-9_.-]{0,58}[A-Za-z0-9])?)(\.\.\.)?>?(?:[ =](\S{1,60}))?\]?(\.\.\.)?$/;
const PATH_WORDS = new Set(["path", "file", "filename", "dir", "directory", "folder"]);

const Choice = z.union([z.string().max(200), z.number()]);

const TypedParameter = z.looseObject({
  name: z
    .string()
    .regex(
      NAME,
      "must be a name such as output-dir or --output-dir, at most 60 characters of A-Z a-z 0-9 _ . -",
    ),
  type: z.enum(TYPE_WORDS).optional(),
  required: z.boolean().optional(),
  description: z.string().max(4000).optional(),
  format: z.string().max(60).optional(),
  default: z.json().optional(),
  choices: z.array(Choice).min(1).max(100).optional(),
  enum: z.array(Choice).min(1).max(100).optional(),
  is_flag: z.boolean().optional(),
  repeatable: z.boolean().optional(),
  multiple: z.boolean().optional(),
});

export const ParameterDocument = z.union(
  [
    z.string().regex(WRITTEN, 'must be written like "--limit", "--limit N", "arg1", "[arg1]" or "files..."'),
    TypedParameter,
  ],
  { error: 'must be a string such as "--limit" or an object with a name' },
);
export type ParameterDocument = z.infer<typeof ParameterDocument>;

export interface Parameter {
  /** Its name in the tool's input, such as `output_dir`. */
  readonly key: string;
  /** How the command spells it, such as `--output-dir`; undefined for a positional argument. */
  readonly flag?: string;
  /** True when the value is given on standard input instead of as an argument. */
  readonly stdin?: true;
  readonly value: "string" | "integer" | "number" | "boolean" | "path" | "any";
  readonly required: boolean;
  readonly repeatable: boolean;
  readonly description?: string;
  readonly choices?: readonly (string | number)[];
  readonly default?: unknown;
}

export function readParameter(document: ParameterDocument): Parameter {
  return typeof document === "string" ? fromString(document) : fromTyped(document);
}

/** Whether the parameter is a file or folder: such calls get a longer timeout, and their files are in the working folder. */
export function isPath({ value, key, choices, description, default: usual, stdin }: Parameter): boolean {
  if (value === "path") return true;
  if (value !== "string" || choices || stdin) return false;
  return soundsLikePath(key) || describesPath(description) || looksLikePath(usual);
}

const soundsLikePath = (key: string) =>
  key.split("_").some((word) => PATH_WORDS.has(word.replace(/s$/, "").toLowerCase()));

/** "Path to original DOCX", "Output JSON file path", "Directory where ...": finds the noun the description is about. */
const ABOUT_PATH =
  /^(?:(?:an?|the|output|input|local|optional|relative|absolute|existing|new|target|source|destination)\s+|(?:[\w./()-]+\s+){0,3}?)(?:path|file|filename|folder|directory)s?\b(?!\s+(?:format|type|extension|size|encoding|mode|count|id)\b)/i;
/** "Values: png, svg" and counts of files are not paths, whatever else the sentence says. */
const NOT_ABOUT_PATH =
  /\bvalues?:|^(number|count|maximum|minimum|limit|whether|include|enable|if|name|title)\b/i;

const describesPath = (description: string | undefined): boolean =>
  description !== undefined &&
  ABOUT_PATH.test(description.trim()) &&
  !NOT_ABOUT_PATH.test(description.trim());

/** A default such as ./out, ../x.json or report.pdf. */
const looksLikePath = (usual: unknown): boolean =>
  typeof usual === "string" && /^(\.{1,2}\/|\/\w)|^[\w-]+\.(?!\d)\w{1,5}$/.test(usual);

/** The type of an option whose author did not declare one: a path if its name says so, otherwise anything. */
function unsaid({
  name,
  description,
  format,
  default: usual,
}: z.infer<typeof TypedParameter>): Parameter["value"] {
  if (switchNames.has(flagOf(name)) || SAYS_FLAG.test(description ?? "")) return "boolean";
  if (PATH_FORMAT.test(format ?? "")) return "path";
  return soundsLikePath(keyOf(name)) || describesPath(description) || looksLikePath(usual) ? "path" : "any";
}

/** "Only overdue commitments. Flag.": how manifests describe a switch that they call an option. */
const SAYS_FLAG = /[.;,] (?:boolean )?flag\.?$/i;

const PATH_FORMAT = /^(file-?path|path|file|directory|folder|dir)$/i;

function fromString(text: string): Parameter {
  const [, bracket = "", name = "", dots, placeholder, dotsAfter] = WRITTEN.exec(text) ?? [];
  const dashed = name.startsWith("-");
  return {
    key: keyOf(name),
    ...(dashed && { flag: name }),
    value: !dashed || placeholder ? "string" : unsaid({ name }),
    required: !dashed && bracket === "",
    repeatable: Boolean(dots ?? dotsAfter),
  };
}

/** Options that never take a value, whatever the command. */
const switchNames = new Set([
  "--json",
  "--verbose",
  "--quiet",
  "--force",
  "--yes",
  "--dry-run",
  "--debug",
  "--all",
]);

function fromTyped(typed: z.infer<typeof TypedParameter>): Parameter {
  const { name, type, description } = typed;
  const positional =
    type === "argument" ||
    type === "stdin" ||
    (!name.startsWith("-") && !isOptionType(type) && !typed.is_flag);
  const choices = typed.choices ?? typed.enum;
  return {
    key: keyOf(name),
    ...(type === "stdin" && { stdin: true as const }),
    ...(!positional && { flag: flagOf(name) }),
    value: valueKind(typed, positional),
    required: typed.required ?? (positional && type !== "stdin" && typed.default === undefined),
    repeatable: typed.repeatable ?? typed.multiple ?? false,
    ...(description !== undefined && { description }),
    ...(choices && { choices }),
    ...(typed.default !== undefined && { default: typed.default }),
  };
}

const isOptionType = (type: TypeWord | undefined) =>
  type === "option" || type === "flag" || type === "switch";

function valueKind(typed: z.infer<typeof TypedParameter>, positional: boolean): Parameter["value"] {
  const { type } = typed;
  if (typed.is_flag || type === "flag" || type === "switch") return "boolean";
  if (type !== undefined && type in VALUES) return VALUES[type as keyof typeof VALUES];
  if (typed.choices || typed.enum) return "string";
  if (positional) return PATH_FORMAT.test(typed.format ?? "") ? "path" : "string";
  const value = unsaid(typed);
  return value === "any" && typed.required ? "string" : value; // a required switch makes no sense
}

const flagOf = (name: string) => {
  if (name.startsWith("-")) return name;
  return name.length === 1 ? `-${name}` : `--${name}`;
};
const keyOf = (name: string) => name.replace(/^-+/, "").replaceAll(/[.-]/g, "_");
