/**
 * The parts of a task: "add 2 and 40 and tell me the time in Paris" has two. Quoted text, code and text after a colon
 * is never split. "and" starts a new part only before a verb or a question, in any language that tasks are read in.
 */
import type { JsonSchema } from "../schema.ts";
import { isActionVerb } from "./actions.ts";
import { isOnlySwitches } from "./choice-arguments.ts";
import { isOutput, kindOf } from "./parameter-kind.ts";
import { parametersOf } from "./parameters.ts";
import { findValues } from "./task-values.ts";

export interface TaskPart {
  readonly text: string;
  /** Separated by a full stop or "then", so it cannot belong to what precedes it. */
  readonly isSeparate: boolean;
}

const MAX_PARTS = 8;
/** The end of a sentence, or a word for "then". */
const SEPARATE = new RegExp(
  [
    String.raw`[.;!?]\s+(?=\S)|[。；！？]\s*(?=\S)`,
    String.raw`,?\s+(?:and\s+)?(?:then|after that|afterwards)\b,?\s+`,
    String.raw`,?\s+(?:und\s+)?(?:dann|danach|anschließend)\s+`,
    String.raw`,?\s+(?:y\s+|e\s+)?(?:luego|después|depois|em seguida)\s+(?!d[aeo]s?\s)`,
    String.raw`,?\s+(?:et\s+)?(?:puis|ensuite)\s+`,
    String.raw`[,、，]?\s*(?:それから|その後|そのあと|然后|接着)[,、，]?`,
  ].join("|"),
  "giu",
);
/** "next", "finally" and a comma begin a part only before a verb: "the next 3 days" is one part. */
const JOINED =
  /,?\s+(?:and|und|y|et|e)\s+(?:(?:also|please|bitte|finally|lastly|next)\s+)?|,?\s+(?:finally|lastly|next)\b,?\s+|,\s+/gi;
const QUESTION_WORDS = new Set(
  "what which who when where why how is are do does can could please".split(" "),
);
/** How requests begin in German, Spanish, French and Portuguese. */
const FOREIGN_VERBS = new Set(
  `sag sage zeig zeige nenn nenne schreib schreibe speicher speichere such suche finde lösch lösche sende schick schicke
  übersetz übersetze erstell erstelle berechne addiere öffne mache gib wie wann wo
  dime dígame muestra muéstrame escribe guarda busca encuentra borra elimina envía manda traduce crea calcula suma abre lee haz dame qué cuál cuándo
  dis montre écris écrivez enregistre cherche trouve supprime envoie traduis crée calcule additionne ouvre lis fais donne quel quelle
  diga mostre escreva salve procure encontre apague exclua envie traduza crie calcule abra leia faça qual quando`.split(
    /\s+/,
  ),
);
const LEAD = /^(?:and|then|also|first(?:ly)?|second(?:ly)?|please)\b,?\s*/i;

export function taskParts(task: string): TaskPart[] {
  const masked = masking(task);
  const parts: TaskPart[] = [];
  for (const [from, end, isFirst] of pieces(masked, SEPARATE)) {
    let start = from;
    let isSeparate = !isFirst;
    for (const cut of joins(masked.slice(from, end))) {
      push(parts, task.slice(start, from + cut.at), isSeparate);
      start = from + cut.end;
      isSeparate = false;
    }
    push(parts, task.slice(start, end), isSeparate);
  }
  return parts.slice(0, MAX_PARTS);
}

/**
 * "minify a.html, remove comments", "and write it to b.html": a part that is nothing but switches of the first part's tool, or says where its
 * output goes, belongs to it.
 */
export function withSwitches(parts: readonly TaskPart[], schema: JsonSchema): TaskPart[] {
  const joined: TaskPart[] = [];
  for (const part of parts) {
    const before = joined.at(-1);
    const isFirst = joined.length === 1;
    if (before && (isOnlySwitches(part.text, schema) || (isFirst && isOnlyOutput(part.text, schema))))
      joined[joined.length - 1] = { ...before, text: `${before.text}, ${part.text}` };
    else joined.push(part);
  }
  return joined;
}

const OUTPUT =
  /^(?:write|save|put|store|export|output|speichere?|schreibe?|guárdal[oa]|guarda|escribe|enregistre|écris|salve|escreva)\s+(?:it|that|them|this|the (?:result|output)s?|es|das ergebnis|el resultado|le résultat|o resultado|-?l[ea]|-?o)?\s*(?:to|in|into|as|nach|als|unter|en|a|como|dans|sous|em|para)\s+(\S+)$/iu;

/** Only the first of a tool's outputs is meant, and a path is. */
function isOnlyOutput(text: string, schema: JsonSchema): boolean {
  const target = OUTPUT.exec(text)?.[1];
  return (
    target !== undefined &&
    findValues(target).some(({ kind }) => kind === "path") &&
    parametersOf(schema).some((each) => kindOf(each) === "path" && isOutput(each))
  );
}

function push(parts: TaskPart[], text: string, isSeparate: boolean): void {
  const tidy = text.trim().replace(LEAD, "").trim();
  if (/[\p{L}\p{N}]/u.test(tidy)) parts.push({ text: tidy, isSeparate });
}

/** Verbatim text, masked by letters that no pattern splits at. */
function masking(task: string): string {
  const colon = /:\s+\S/.exec(task)?.index ?? task.length;
  const handedOn = findValues(task).filter(({ kind }) => kind !== "number" && kind !== "date");
  const masked = handedOn.reduce(
    (text, { at, end }) => `${text.slice(0, at)}${"x".repeat(end - at)}${text.slice(end)}`,
    task,
  );
  return masked.slice(0, colon) + "x".repeat(task.length - colon);
}

function* pieces(text: string, pattern: RegExp): Generator<[from: number, end: number, isFirst: boolean]> {
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    yield [from, match.index, from === 0];
    from = match.index + match[0].length;
  }
  yield [from, text.length, from === 0];
}

function joins(text: string): { at: number; end: number }[] {
  return [...text.matchAll(JOINED)].flatMap((match) => {
    const end = match.index + match[0].length;
    const next = /^[\p{L}\p{N}_']+/u.exec(text.slice(end))?.[0].toLowerCase() ?? "";
    const begins = isActionVerb(next) || QUESTION_WORDS.has(next) || FOREIGN_VERBS.has(next);
    return begins ? [{ at: match.index, end }] : [];
  });
}
