/**
 * What kind of value a parameter takes, by its name, format and description. A name alone is often vague (`--original`, `data`, `to`),
 * so the description counts as well: "Path of the CSV file." makes `data` a path.
 */
import type { ParameterSchema } from "./parameters.ts";

export type ParameterKind =
  | "url"
  | "email"
  | "path"
  | "language"
  | "currency"
  | "timezone"
  | "uuid"
  | "host"
  | "date"
  | "time"
  | "phone"
  | "place"
  | "pattern"
  | "identifier"
  | "name";

interface KindRule {
  readonly kind: ParameterKind;
  readonly name: RegExp;
  /** Decides when the name does not. */
  readonly description?: RegExp;
}

/** The first matching row decides. */
const RULES: readonly KindRule[] = [
  { kind: "url", name: /^(url|uri|link|href|website|page|endpoint|webhook)$|_?url$/i },
  {
    kind: "email",
    name: /mail|^recipients?$/i,
    description: /^(e-?mail )?address of the (recipient|sender)/i,
  },
  {
    kind: "language",
    name: /lang(uage)?s?$|_lang(uage)?_?|^locale$/i,
    description: /\bISO 639|language code/i,
  },
  { kind: "currency", name: /currency/i, description: /\bISO 4217|currency code/i },
  {
    kind: "path",
    name: /^(path|file|files|filename|file_?path|directory|dir|folder|archive)$|[_-](path|file|dir|directory|folder)$|^(in|out|input|output|source|target|destination|original|modified)[_-]?(file|path|dir)/i,
    description:
      /\b(paths?|files?|folder|directory|filename)\b|^where to (save|write|put)\b|^(the |an? )?(\w+ )?(document|picture|image|photo|contract|pdf|archive|spreadsheet|recording)s?\b[^,;]{0,20}\.?$/i,
  },
  { kind: "timezone", name: /time_?zone|^tz$/i },
  { kind: "phone", name: /phone|^(mobile|tel|cell|fax)$|_(mobile|tel|cell|fax)$/i },
  { kind: "uuid", name: /uuid|guid/i },
  { kind: "host", name: /^(domain|host)(_?name)?$/i },
  {
    kind: "date",
    name: /(?<!up)date|^(day|when|since|until|from_time|to_time|start|end)$/i,
    description: /\bYYYY-MM-DD\b(?!T)|^(the )?([\w-]+ ){0,2}date( of|[ .(]|$)/i,
  },
  {
    kind: "time",
    name: /^(time|hour|at|start_?time|end_?time)$/i,
    description: /\bHH:MM\b|\btime of day\b|^(start|end) time\b/i,
  },
  { kind: "place", name: /city|location|place|region|country|address|destination|origin/i },
  { kind: "pattern", name: /pattern|regex|regexp/i },
  {
    kind: "identifier",
    name: /^(id|number|version|key|sku|ref|reference|ticket|issue)$|[_-](id|number|version)$/i,
  },
  {
    kind: "name",
    name: /^(name|title|label|customer|client|assignee|owner|person|user|username|author|company|contact|service|project|team|channel|room)$|_name$/i,
    description: /^(the )?name of (the|an?) |^who (gets|receives)\b/i,
  },
];

/** For these kinds the description only decides over free text; "the file's content" is not a path. */
const TEXT_NAME =
  /content|(?<!con)text|body|message|note|code|prompt|question|query|search|instruction|pattern|format|^names?$|^stdin$/i;

export function kindOf({
  name,
  schema,
}: Pick<ParameterSchema, "name" | "schema">): ParameterKind | undefined {
  const { description: said, format } = schema;
  if (format === "uri") return "url";
  if (format === "email") return "email";
  if (format === "date") return "date";
  if (format === "time") return "time";
  const snake = name.replaceAll(/([a-z\d])([A-Z])/g, "$1_$2");
  if (/[_-][giu]?id$/i.test(snake)) return "identifier";
  const named = RULES.find((rule) => rule.name.test(name)) ?? RULES.find((rule) => rule.name.test(snake));
  const description = (typeof said === "string" ? said : "").replaceAll(DERIVED, "");
  const described = describedKind(name, description);
  // The described kind is more exact where the name only says "name", "place" or nothing.
  const isVague = named === undefined || VAGUE.has(named.kind) || EITHER_DAY_OR_TIME.test(name);
  return isVague ? (described ?? named?.kind) : named.kind;
}

function describedKind(name: string, description: string): ParameterKind | undefined {
  const kind = RULES.find((each) => each.description?.test(description) === true)?.kind;
  if (!TEXT_NAME.test(name) || (name === "code" && kind !== undefined && CODED.has(kind))) return kind;
  return SOUGHT_PLACE.test(description) ? "place" : undefined;
}

/** "If not given, the lexer is guessed from the filename" tells of another parameter. */
const DERIVED =
  /\b(?:guessed|inferred|derived|detected|deduced|determined|taken|chosen|judged)\s+(?:from|by|based on)\s+(?:the |its )?(?:\w+ )?(?:file ?names?|files?|extensions?|paths?)\b/gi;
/** A `query` that is a place: "Location name to search for". */
const SOUGHT_PLACE =
  /^(?:the )?(?:name of (?:the|a) )?(?:location|place|city|address|town)(?: name)?\b(?! of\b)/i;

/** What a `code` may stand for, beside a program's text. */
const CODED = new Set<ParameterKind>(["language", "currency"]);

const EITHER_DAY_OR_TIME = /^(start|end|when|from_time|to_time)$/i;
const VAGUE = new Set<ParameterKind>(["name", "place", "identifier"]);

const OUTPUT_NAME = /^(out|output|target|dest|destination|save|result|to|report)([_-]|$)|[_-](out|output)$/i;
const OUTPUT_DESCRIPTION =
  /\b(where to (save|write|put)|to (save|write|unpack|export)|(save|write)s? (it|them)? ?to|folder for|path of the (report|joined|result|picture|output|archive|new))\b/i;

/** Whether a path is an output. */
export const isOutput = ({
  name,
  schema: { description },
}: Pick<ParameterSchema, "name" | "schema">): boolean =>
  OUTPUT_NAME.test(name) || (typeof description === "string" && OUTPUT_DESCRIPTION.test(description));

const SOURCE_NAME = /^(from|source|src|original)([_-]|$)/i;
const SOURCE_DESCRIPTION = /\b(convert|translate|change|move)d? from\b|\bsource\b/i;

/** Whether a language or a currency is the source. */
export const isSource = ({
  name,
  schema: { description },
}: Pick<ParameterSchema, "name" | "schema">): boolean =>
  SOURCE_NAME.test(name) || (typeof description === "string" && SOURCE_DESCRIPTION.test(description));
