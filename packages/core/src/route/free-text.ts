/** Values for free-text parameters: what remains of a task without its exact values, and values named in the text. */
import { withoutLeadIn } from "./lead-in.ts";
import { type FoundValue, withoutValues } from "./task-values.ts";

/** Content passed on verbatim: a document, code, a note. */
const VERBATIM = /content|(?<!con)text|body|message|note|code|^stdin$/i;
/** What a model or a person is asked: the task in its own words, including the verb. */
const ASKED = /prompt|question|task|instruction|request(?!er|or|ed)/i;
/** What the task is about, without the verb: "search for solar panels" -> "solar panels". */
const SUBJECT =
  /(?:^|[_-])(?:query|description|topic|search|input|title|subject|name|q|keyword)s?(?:$|[_-])/i;
/** Values for these need a label, quotes or a colon; the sentence itself is neither a title nor standard input. */
const HEADING = /^(title|subject|label|summary|stdin)$|(?:^|_)name$/i;
const LOOKED_FOR = /^(q|query|keywords?|search(?:_?[a-z]+)?)$/i;

/** `task_id` and `task_gid` are no tasks. */
const ID = /(?:_(?:g|i|u|s|gu|uu)?ids?|[a-z](?:G|U|Gu|Uu)?[Ii]ds?)$/;

export const isFreeText = (name: string): boolean =>
  !ID.test(name) &&
  (VERBATIM.test(name) || ASKED.test(name) || SUBJECT.test(name.replaceAll(/([a-z])([A-Z])/g, "$1_$2")));

export interface FreeText {
  readonly text: string;
  /** True when nothing in the task marks this text as the value: it is what remains of the sentence. */
  readonly isGuess: boolean;
  /** What remains of the sentence, also where that is no guess. */
  readonly isRest?: boolean;
}

/** `used`: the values taken by other parameters. */
export function freeText(name: string, task: string, used: readonly FoundValue[]): FreeText | undefined {
  const given = (text: string | undefined) => (text ? { text, isGuess: false } : undefined);
  const rest = (text: string) => (text ? { text, isGuess: false, isRest: true } : undefined);
  if (HEADING.test(name.replaceAll(/([a-z])([A-Z])/g, "$1_$2"))) return given(behindColon(task));
  if (ASKED.test(name)) return given(behindColon(task)) ?? rest(tidy(withoutValues(used, task)));
  if (LOOKED_FOR.test(name))
    return (
      given(lookedFor(used, task)) ??
      rest(cut(remaining(used, task))?.replace(/^(?:an?|the)\s+(?=\p{Ll})/u, "") ?? "")
    );
  if (!VERBATIM.test(name)) return rest(remaining(used, task));
  const marked = behindColon(task) ?? behindPath(task, used) ?? behindRequest(used, task);
  if (marked) return given(marked);
  const left = remaining(used, task);
  return left === ""
    ? undefined
    : { text: left, isRest: true, isGuess: !(used.length > 0 && HANDS_OVER.test(task)) };
}

/** "write hello to /notes.txt": the verb's object is the value, and the rest is already used. */
const HANDS_OVER =
  /^\s*(?:please\s+|bitte\s+)?(?:write|save|put|store|append|note|keep|log|add|run|execute|schreibe?|speichere?|notiere?|lege?|escribe|guarda|anota|pon|écris|enregistre|sauvegarde|note|mets|escreve|escreva|guarde|salve|anote)(?!\p{L})/iu;

/** "remind me to water the plants", "tell Ann that lunch is ready", "note that the door is blue". */
const behindRequest = (used: readonly FoundValue[], task: string): string | undefined =>
  cut(
    REMINDED.map((said) => said.exec(withoutValues(used, task))?.[1]).find((text) => text) ??
      /\b(?:remind|tell|notify|note|remember)\b(?:\s+(?!to\b|that\b)\S+){0,4}?\s+(?:to|that)\s+(\S.*)$/is.exec(
        withoutValues(used, task),
      )?.[1],
  );

/** "erinnere mich daran, die Miete zu zahlen", "recuérdame llamar", "rappelle-moi d'appeler", "lembre-me de ligar". */
const REMINDED: readonly RegExp[] = [
  /(?<!\p{L})erinner\p{L}*\s+(?:mich|uns)(?:\s+bitte)?\s+(?:daran,?\s+|an\s+)(\S.*)$/isu,
  /(?<!\p{L})(?:recu[ée]rda(?:me|nos)|recordarme)\s+(?:que\s+(?:tengo que\s+|debo\s+)?|de\s+)?(\S.*)$/isu,
  /(?<!\p{L})rappel\p{L}*[- ](?:moi|nous)\s+(?:(?:de|que)\s+|d['’])?(\S.*)$/isu,
  /(?<!\p{L})(?:me\s+)?lembr\p{L}*(?:-me|-nos)?\s+(?:de\s+|que\s+)?(\S.*)$/isu,
];

/** "with curl in their name" */
const HELD_IN_NAME =
  /\b(?:with|having|containing)\s+(?:the\s+(?:word|text|term|phrase)\s+)?(\S+(?:\s+\S+){0,3}?)\s+in\s+(?:its|their|the)\s+(?:name|title|subject|description|text)s?\b/iu;
/** "the word overdue", in all task languages. */
const THE_WORD =
  /(?<!\p{L})(?:the\s+(?:words?|term|phrase)|(?:das|dem)\s+wort|la\s+palabra|el\s+término|le\s+mot|a\s+palavra)\s+(\S+)\s*[?!.]?$/iu;

/** "search my mail for the rental agreement" -> "rental agreement"; "are there any tickets about dark mode?" -> "dark mode". */
const lookedFor = (used: readonly FoundValue[], task: string): string | undefined =>
  cut(
    HELD_IN_NAME.exec(withoutValues(used, task))?.[1] ??
      THE_WORD.exec(withoutValues(used, task))?.[1] ??
      /^\s*(?:please\s+)?(?:(?:can|could) you\s+)?(?:search|find|look|query|browse|check|are there|is there|do (?:i|we) have|show|list|get)\b.*?\b(?:for|about|regarding|concerning|mentioning|containing)\s+(?:the\s+|any\s+)?(\S.*)$/is.exec(
        withoutValues(used, task),
      )?.[1],
  );

/** "records that contain Sundberg" -> "Sundberg". */
const KIND_OF_THING =
  /^(?:\p{L}+\s+)?(?:(?:that|which)\s+(?:contain|mention|have|include|are about)s?|containing|mentioning)\s+(?:the\s+)?(?:(?:word|text|phrase|name)\s+)?/iu;

/** "…, 5 results" without its number. */
const COUNTED_AWAY =
  /(?<![\d\s,;])[\s,;]+(?:and\s+|with\s+)?(?:(?:show|give|list|return)\s+(?:me\s+)?)?(?:at\s+most\s+|the\s+(?:first|top)\s+)?(?:results?|hits?|matches|entries|ergebnisse?|treffer|resultados|résultats)\s*$/iu;

/** Without the words that connect a used value to the sentence. */
const cut = (text: string | undefined): string | undefined =>
  text &&
  tidy(
    text
      .replace(/[?!.\s]+$/, "")
      .replace(KIND_OF_THING, "")
      .replace(/^\p{Ll}{3,}s\s+(?:about|regarding|concerning)\s+(?:the\s+)?/u, "")
      .replace(
        /(?:\s+(?:on|at|in|from|since|until|by|for|to|the|of|with|mit|con|avec|com|labels?|labelled|tags?|tagged|am|um|den|el|le|em|no|na|à|às))+\s*$/i,
        "",
      )
      .replace(COUNTED_AWAY, ""),
  );

/** "run this: print(1)" -> "print(1)". Not the colon of a URL or a time. */
export const behindColon = (task: string): string | undefined =>
  /^[^:\n]{3,120}:\s+(\S[\s\S]*)$/.exec(task)?.[1]?.trim();

/** "with hello" in every language that tasks are read in. */
const SAID_BEHIND_PATH: readonly RegExp[] = [
  /^\s*(?:with|containing|saying|that says)\s+(?:the\s+)?(?:(?:text|contents?|words?|lines?)\b)?\s*:?\s*(\S[\s\S]*)$/i,
  /^\s*(?:mit|con|avec|com)\s+(?:(?:dem|den|der|el|la|le|les|o|a|os)\s+)?(?:(?:Inhalt|Text|contenido|texto|contenu|texte|conteúdo)(?!\p{L}))?\s*:?\s*(\S[\s\S]*)$/iu,
  /^\s*[,，、]?\s*(?:内容(?:是|为|為|は)|写入|写上)\s*[:：]?\s*(\S[\s\S]*)$/u,
];

/** "a file notes.txt with hello" -> "hello". */
function behindPath(task: string, used: readonly FoundValue[]): string | undefined {
  const path = used.findLast(({ kind }) => kind === "path");
  const behind = path && task.slice(path.end);
  return behind && SAID_BEHIND_PATH.map((said) => said.exec(behind)?.[1]?.trim()).find((text) => text);
}

const FOREIGN_VERB =
  /^\s*(?:bitte\s+|por favor,?\s+)?(?:schreibe?|speichere?|notiere?|lege?|suche?|finde|escribe|guarda|anota|busca|pon|écris|enregistre|sauvegarde|cherche|mets|escreve|escreva|guarde|salve|anote|procura|procure)(?!\p{L})\s*(?:nach\s+)?/iu;
const FOREIGN_END =
  /\s+(?:nach|in|unter|als|en|a|como|dans|sous|comme|em|no|na|para)\s*(?:(?:der|die|das|el|la|le|o)\s+)?(?:datei|archivo|fichier|arquivo|fichero)?\s*$/iu;

/** Also without its leading verb and connecting words. */
function remaining(used: readonly FoundValue[], task: string): string {
  return withoutLeadIn(
    tidy(
      withoutValues(used, task)
        .replace(FOREIGN_VERB, "")
        .replace(FOREIGN_END, "")
        .replace(
          /^\s*(?:please\s+)?(?:can you\s+|could you\s+)?(?:write|save|put|store|add|create|search|find|look up|research|generate|fetch|get|show|tell me|open|read|ask|send|make|run|execute)\b\s*(?:me\s+)?(?:for\s+|about\s+|the\s+web\s+for\s+)?/i,
          "",
        )
        .replace(/\s+(?:to|into|in|at|from|as|on|called|named|titled)\s*(?:the\s+file)?\s*$/i, "")
        .replace(/\s+(?:to|into|in)\s{2,}/gi, " "),
    ),
  );
}

const tidy = (text: string): string => text.replace(/[^\S\n]+/g, " ").replace(/^[\s:,-]+|[\s:,-]+$/g, "");

const asWords = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[^A-Za-z0-9]+/g, " ")
    .trim()
    .replace(/ /g, "[\\s_-]?");

export const speaksOf = (name: string, task: string): boolean =>
  asWords(name) !== "" && new RegExp(`\\b${asWords(name).replace(/s$/, "s?")}\\b`, "i").test(task);

/** The name is followed by a word that is clearly not prose: it has a dot, a digit, a slash. */
export function valueNamed(name: string, task: string): FoundValue | undefined {
  const words = asWords(name);
  if (words.length < 2) return undefined;
  const plain = "\\s+(?:is\\s+)?((?=[^\\s,;]*[./_@\\d-][^\\s,;]*\\w)[\\w][\\w./@-]*\\w)";
  const found = new RegExp(`\\b${words}(?:${plain})`, "i").exec(task);
  const text = found?.[1];
  return found && text
    ? { kind: "quoted", text, at: found.index, end: found.index + found[0].length }
    : undefined;
}
