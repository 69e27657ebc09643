/** Names of people and things in a task: "called Team lunch", "customer Northwind", "Peter Parker's", "give it to Maria". */
import { spokenNoun } from "./spoken-nouns.ts";
import type { FoundValue } from "./task-values.ts";

/** Words that end a name. */
const END = String.raw`(?=\s*[,.;:!?]|\s*$|\s+(?:for|with|that|and|on|at|in|to|by|from|over|tomorrow|today|tonight|next|this|saying|worth|für|mit|und|am|um|an|in|zu|nach|bei|von|morgen|heute|nächsten?|para|con|y|el|en|a|por|mañana|hoy|pour|avec|et|le|à|dans|chez|demain|com|e|em|no|na|às|amanhã|hoje|de|del|du|do|da)(?!\p{L}))`;
const CALLED = new RegExp(
  String.raw`(?<!\p{L})(?:called|named|titled|namens|genannt|mit (?:dem )?(?:Namen|Titel)|llamad[oa]|titulad[oa]|que se llama|appelée?|nommée?|intitulée?|chamad[oa]|intitulad[oa])\s+["'„“«]?([\p{L}\p{N}][\p{L}\p{N} .&'-]{0,80}?)["']?${END}`,
  "iu",
);
/** A title may hold any word: it ends at a comma, or where another parameter is named. */
const TITLED =
  /(?<!\p{L})(?:titled|entitled|titulad[oa]|intitulée?s?|intitulad[oa]|mit (?:dem )?Titel|con (?:el )?título|avec (?:le )?titre|com (?:o )?título)\s+["'„“«]?([^,.;:!?"”“»]{1,120})/iu;
const CAPITALS = String.raw`\p{Lu}[\p{L}\p{N}'&-]*(?:\s+(?:(?:of|of the|de|del|du|da|do|von der)\s+(?=\p{Lu}))?\p{Lu}[\p{L}\p{N}&-]*)*`;
const POSSESSIVE = /(?<!^)\b(\p{Lu}[\p{L}-]*(?:\s+\p{Lu}[\p{L}-]*)*)['’]s\b/u;
const AFTER_PREPOSITION = new RegExp(
  String.raw`(?<!\p{L})(?:for|of|to|with|from|by|about|on|an|für|von|bei|para|a|al|con|pour|à|avec|chez|ao|à)\s+(?:the\s+|Mr\.?\s+|Mrs\.?\s+|Frau\s+|Herrn?\s+|señora?\s+)?(${CAPITALS})`,
  "u",
);

/** Months and days are dates, not names. */
const NOT_A_NAME =
  /^(?:January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|I|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag)\b/;

export const isCalendarWord = (text: string): boolean => NOT_A_NAME.test(text);

/** "rename section 12 to Done", in all task languages. */
const RENAMED: readonly RegExp[] = [
  /^\W*(?:please\s+)?(?:rename|retitle|change\s+the\s+(?:name|title)\s+of)\b.*?\s(?:to|into|as)\s+["'“]?(\S[^"”]*?)["'”]?[.!]?$/isu,
  /(?<!\p{L})(?:be|um)?nenn\p{L}*\s.*?\s(?:in|zu)\s+["'„“]?(\S[^"“”]*?)["“”]?\s+um[.!]?$/isu,
  /\sin\s+["'„“]?(\S[^"“”]*?)["“”]?\s+umbenennen[.!]?$/isu,
  /^\W*(?:por favor,?\s+)?(?:renombr\p{L}*|cambi\p{L}*\s+el\s+(?:nombre|título)\s+de)\s.*?\s(?:a|como|por)\s+["“«]?(\S[^"”»]*?)["”»]?[.!]?$/isu,
  /^\W*(?:renomme\p{L}*)\s.*?\s(?:en|comme)\s+["“«]?\s?(\S[^"”»]*?)\s?["”»]?[.!]?$/isu,
  /^\W*(?:por favor,?\s+)?(?:renome\p{L}*)\s.*?\s(?:para|como)\s+["“«]?(\S[^"”»]*?)["”»]?[.!]?$/isu,
];

/** "titled Export fails for large files with priority 2": up to "with priority", when that is another parameter. */
export function titleIn(task: string, otherNouns: readonly string[]): FoundValue | undefined {
  const whole = TITLED.exec(task) ?? RENAMED.map((said) => said.exec(task)).find((found) => found !== null);
  const text = whole?.[1];
  if (!whole || text === undefined) return undefined;
  const nouns = otherNouns.map(spokenNoun).join("|");
  const next = new RegExp(
    String.raw`\s+(?:with|and|in|on|for|to|from|mit|und|in|auf|für|con|y|en|para|avec|et|dans|pour|com|e|em)\s+(?:(?:the|a|an|dem|der|den|el|la|los|le|les|o|as)\s+)?(?:\p{Ll}+\s+)?(?:${nouns})s?(?!\p{L})[\s\S]*$`,
    "iu",
  );
  const title = (nouns === "" ? text : text.replace(next, "")).trim();
  const at = whole.index + whole[0].lastIndexOf(text);
  return title === "" ? undefined : { kind: "quoted", text: title, at, end: at + title.length };
}

/** `loosely`: also accepts a capitalised name after a preposition, unless the parameter is just `name` or `title`. */
export function nameIn(
  task: string,
  parameter: string,
  { loosely }: { loosely: boolean },
): FoundValue | undefined {
  const noun = parameter
    .replace(/[_-]?name$/i, "")
    .replace(/[^\p{L}]+/gu, " ")
    .trim();
  const byNoun =
    noun === "" || noun.length < 3
      ? undefined
      : (found(
          new RegExp(
            String.raw`(?<!\p{L})(?:${spokenNoun(noun)})\s+(?:(?:called|named|is)\s+)?(${CAPITALS})`,
            "u",
          ),
          task,
        ) ?? found(new RegExp(String.raw`(?:the|in|on|for)\s+(${CAPITALS})\s+${noun}\b`, "u"), task));
  return (
    found(CALLED, task) ??
    byNoun ??
    found(POSSESSIVE, task) ??
    (loosely && !/^(name|title|label)$/i.test(parameter) ? found(AFTER_PREPOSITION, task) : undefined)
  );
}

function found(pattern: RegExp, task: string): FoundValue | undefined {
  const match = pattern.exec(task);
  const text = match?.[1]?.trim();
  if (!match || !text || NOT_A_NAME.test(text)) return undefined;
  const at = match.index + match[0].indexOf(text);
  return { kind: "quoted", text, at, end: at + text.length };
}
