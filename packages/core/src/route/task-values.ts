/** Values in a task's text: URLs, quoted texts, paths, numbers, dates, lists. Each is found once, with its position. */
import { datesInDigits, datesInWords } from "./task-dates.ts";
import { numbersInWords } from "./task-numbers.ts";
import { timesIn } from "./task-times.ts";
import { writtenNumbers } from "./written-numbers.ts";

export type ValueKind =
  | "url"
  | "email"
  | "quoted"
  | "path"
  | "number"
  | "date"
  | "time"
  | "phone"
  | "uuid"
  | "identifier";

export interface FoundValue {
  readonly kind: ValueKind;
  readonly text: string;
  readonly at: number;
  readonly end: number;
}

const EXTENSIONS =
  "txt|md|markdown|rst|json|jsonl|csv|tsv|ya?ml|html?|[cm]?[jt]sx?|py|rb|go|rs|java|cpp|css|sql|pdf|docx?|odt|rtf|pptx?|xlsx?|ods|tex|epub|png|jpe?g|gif|webp|svg|avif|bmp|tiff?|heic|mp3|wav|ogg|flac|m4a|mp4|mov|mkv|webm|avi|zip|tar|tar\\.gz|tgz|gz|bz2|7z|rar|log|xml|toml|ini|env|sh|db|sqlite|ipynb|eml|ics|vcf|parquet|bak|dot|gv|mmd|puml|psd|eps|ttf|woff2?|conf|cfg|properties|gradle|kts?|swift|php|lua|scala|vue|svelte|s[ac]ss|less|wasm|proto|graphql|tf|pem|crt|csr|patch|diff|srt|vtt|midi?|stl|geojson|kml|gpx|ndjson|mbox|msg|odp|bib|lst|iso|img|deb|rpm|jar|whl|apk|xsd|xslt?|wsdl|plist|dat|bin";

const FILE_ENDING = new RegExp(`^(?:${EXTENSIONS})$`, "i");
export const isFileEnding = (word: string): boolean => FILE_ENDING.test(word);

type Finder = (task: string, now: Date | undefined) => FoundValue[];
type Match = { readonly at: number; readonly end: number };
const found =
  <Each extends Match>(
    kind: ValueKind,
    find: (task: string, now?: Date) => Each[],
    textOf: (each: Each) => string,
  ): Finder =>
  (task, now) =>
    find(task, now).map((each) => ({ kind, text: textOf(each), at: each.at, end: each.end }));

/** Said to be one, or written as only a phone number is: with a country code, or with a leading zero and groups. */
const PHONE =
  /(?<![\w.+])(?:(?:\+|00)[1-9]\d{0,2}[\s./-]?(?:\(\d{1,5}\)[\s./-]?)?\d(?:[\s./-]?\d){5,12}|\(0\d{1,4}\)\s?\d(?:[\s./-]?\d){4,10}|0\d{1,4}(?:[\s/-]\d{2,8}){1,5})(?![\w]|[.,]\d)/g;
const SAID_PHONE =
  /(?<=(?<!\p{L})(?:phone|telephone|tel\.?|mobile|cell|fax|call|dial|telefon|telefonnummer|handy|handynummer|teléfono|móvil|téléphone|portable|telefone|celular|电话|電話)(?:\s+(?:number|is|número|numéro|nummer|no\.?|de|do|n°|lautet|ist|es|est|é))*\s*:?\s*)(?:\+|\(?)\d[\d\s()./-]{4,18}\d(?!\w)/giu;

/** "the folder drafts": a plain word behind the noun, if nothing can follow it but the rest of the sentence. */
const FOLDER =
  /(?<=(?<!\p{L})(?:folder|directory|ordner|verzeichnis|carpeta|directorio|dossier|répertoire|(?:na|da|a)\s+pasta|diretório)\s+)(?!(?:of|in|on|at|to|by|for|from|that|which|with|without|and|or|is|are|has|as|into|it|this|here|there|called|named|im|von|mit|und|auf|der|die|das|den|dem|nach|namens|de|del|des|du|do|da|que|qui|en|dans|et|y|e|con|com|avec|para|pour|por|par|a|à|au|à)(?!\p{L}))[\p{L}\d_-]{2,40}(?=\s*(?:[,.;!?]|$)|\s+(?:and|to|into|in|with|for|from|und|nach|in|mit|y|a|en|con|para|et|vers|dans|avec|e|com|para)(?!\p{L}))/giu;

/** Earlier rows win: a number inside a URL is part of the URL. */
const PATTERNS: readonly (readonly [ValueKind, RegExp])[] = [
  ["url", /https?:\/\/[^\s"'<>]+[^\s"'<>.,;:!?)\]}]/gi],
  ["email", /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g],
  ["quoted", /```\w*\s([\s\S]{1,20000}?)\s*```/g],
  ["quoted", /「([^」]{1,4000})」|『([^』]{1,4000})』|«\s?([^»]{1,4000}?)\s?»|„([^“”]{1,4000})[“”]/g],
  ["quoted", /"([^"]{1,4000})"|“([^”]{1,4000})”|'([^']{2,4000})'(?!\w)|`([^`]{1,4000})`/g],
  [
    "quoted",
    /(?<=\b(?:match(?:es|ing)?|pattern|regexp?|regular expression)\s+)\/[^/\s][^/\n]{0,200}\/[a-z]*(?![\w/])/gi,
  ],
  ["uuid", /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi],
  [
    "date",
    /(?<![\p{L}\d_][-_])\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:?\d{2})?)?\b/gu,
  ],
  [
    "path",
    new RegExp(
      `(?<![\\w/:])(?:\\.{0,2}/[\\w.@~-]+(?:/[\\w.@~-]+)*/?|[\\w-]+(?:[/.][\\w-]+)*\\.(?:${EXTENSIONS}))\\b`,
      "gi",
    ),
  ],
  ["path", FOLDER],
  // After a noun: "2026-118" alone is a subtraction, "invoice 2026-118" is an identifier.
  [
    "identifier",
    /(?<=\b(?!(?:is|of|are|what|plus|minus|be|and|or|equals|calculate|compute|subtract|solve)\b)[a-z]{2,}\s+#?)\d+(?:-\d+)+\b/gi,
  ],
  ["identifier", /(?<![\w./@])(?=[\w.-]*\d)(?=[\w.-]*[a-z_-])[a-z][\w]*(?:[_-][\w]+)+\b/gi],
  // "rule 4f2a", "invite AAMk123": letters and digits in one word, unlike "3pm", "2nd" or the name of a standard.
  [
    "identifier",
    /(?<![\w./@-])(?!\d+(?:h|e)\d+m?\b|(?:sha|iso|utf|rfc|aes|rsa|cp|win|windows|office|x|h)\d)(?:[a-z]+\d{3,}\w*|\d+[a-z]+\d\w*|[a-z]+\d+[a-z]\w+)\b(?![./@-]\w)/gi,
  ],
];

const inPattern =
  ([kind, pattern]: readonly [ValueKind, RegExp]): Finder =>
  (task) =>
    [...task.matchAll(pattern)].map((match) => ({
      kind,
      text: match.slice(1).find((group) => group !== undefined) ?? match[0],
      at: match.index,
      end: match.index + match[0].length,
    }));

const FINDERS: readonly Finder[] = [
  ...PATTERNS.filter(([kind]) => kind !== "identifier").map(inPattern),
  inPattern(["phone", SAID_PHONE]),
  found("date", datesInDigits, ({ date }) => date),
  inPattern(["phone", PHONE]),
  found("time", timesIn, ({ time }) => time),
  ...PATTERNS.filter(([kind]) => kind === "identifier").map(inPattern),
  found("date", datesInWords, ({ date }) => date),
  found("number", numbersInWords, ({ number }) => String(number)),
  found("number", writtenNumbers, ({ text }) => text),
];

/** `now` resolves "tomorrow". */
export function findValues(task: string, now?: Date): FoundValue[] {
  const taken: FoundValue[] = [];
  for (const find of FINDERS)
    for (const value of find(task, now))
      if (taken.every(({ at, end }) => value.end <= at || value.at >= end)) taken.push(value);
  return taken.sort((a, b) => a.at - b.at);
}

/** Both ends of a range such as "10-12", for two numbers rather than an identifier. */
export function rangeOf({ kind, text }: FoundValue): readonly [number, number] | undefined {
  const [, first, last] = (kind === "identifier" ? /^(\d+)-(\d+)$/.exec(text) : null) ?? [];
  return first === undefined || last === undefined || Number(last) < Number(first)
    ? undefined
    : [Number(first), Number(last)];
}

export const numberOf = ({ text }: FoundValue): number => Number(text);

/** List items in the text: after a colon, between commas and "and", or on separate lines. */
export function listItems(task: string): string[] {
  const behindColon = /:(?!\/\/)\s*([\s\S]+)$/.exec(task)?.[1] ?? task;
  const lines = behindColon
    .split(/\n+/)
    .map(trimItem)
    .filter((item) => item !== "");
  if (lines.length > 1) return lines;
  const parts = behindColon
    .split(/,\s*(?:and\s+)?|;\s*|\s+and\s+/i)
    .map(trimItem)
    .filter((item) => item !== "");
  return parts.length > 1 || behindColon !== task ? parts : [];
}

const trimItem = (text: string): string =>
  text
    .replace(/^\s*(?:[-*•]|\d+[.)])\s*/, "")
    .replace(/[.\s]+$/, "")
    .trim();

/** The text without these values; what is left keeps its order. */
export const withoutValues = (values: readonly FoundValue[], text: string): string =>
  [...values]
    .sort((a, b) => b.at - a.at)
    .reduce((left, { at, end }) => `${left.slice(0, at)} ${left.slice(end)}`, text);
