/**
 * The value beside a parameter's own noun: "namespace shop", "the prod namespace", "song 'Yesterday'". Plain words count only where
 * nothing else could follow the noun: "team meeting notes" names no team.
 */

import type { ParameterSchema } from "./parameters.ts";
import { spokenNoun } from "./spoken-nouns.ts";
import type { FoundValue } from "./task-values.ts";
import { identifierWords } from "./text.ts";

const SUFFIX = /\s+(?:id|ids|iid|name|names|number|key|code|slug|title|value|type|kind)$/i;
const NO_NOUN =
  /^(?:id|ids|name|names|type|kind|value|values|key|data|input|output|text|number|from|to|old|new|is|has)$/i;
const CAPITALS = String.raw`\p{Lu}(?:[\p{L}\p{N}&-]|['’](?=\p{L}))*(?:\s+(?:(?:of|the|of the|de|del|und|&)\s+)?\p{Lu}(?:[\p{L}\p{N}&-]|['’](?=\p{L}))*)*`;
const CODE = String.raw`(?=[^\s,;]*(?:\d|\p{Ll}\p{Lu}|[\p{L}\d][/_.-][\p{L}\d]))[\p{L}\d](?:[\p{L}\d_./@-]*[\p{L}\d])?`;
const PLAIN = String.raw`\p{Ll}[\p{Ll}\d_-]{1,30}(?=\s*(?:[,.;!?]|$)|\s+(?:in|on|of|at|to|from|for|with|and|as|by|im|in|auf|von|mit|und|für|nach|en|del?|con|y|para|por|dans|du|avec|et|pour|em|do|da|com|e)(?!\p{L}))`;
/** What may stand between a noun and its value. */
const BETWEEN = String.raw`(?:\s+(?:with|mit|con|avec|com))?(?:\s+(?:the|der|dem|el|la|le|o))?(?:\s+(?:id|name|number|key|title|titled|called|named|is|of|namens|llamad[oa]|appelée?|chamad[oa]))*\s*[:=#]?\s*["'“„«]?`;
const NOT_A_VALUE = new Set(
  `the a an in on of at to from for with and or as by is are was be it this that these those all any each every my our your new old same
   other last next first current which who what when where how has have had will would should can could does do did not no into out up
   down off over under about after before than then there here only also please im am auf von vom zum zur und oder der die das den dem
   des ein eine einen mit für nach bei ist sind en el la los las de del un una con por para y o que es son dans le les du des une et
   pour avec sur est em no na do da os as um uma com e está name names named called id ids list lists`.split(
    /\s+/,
  ),
);

/** What people call a parameter: "branch" for `from_branch`, "deployment" for a name that is described as "Name of the deployment". */
export function nounsOf({ name, schema }: Pick<ParameterSchema, "name" | "schema">): string[] {
  const own = identifierWords(name).trim().toLowerCase();
  const bare = own.replace(SUFFIX, "");
  const described =
    /^(?:the\s+)?(?:unique\s+)?(?:name|title|id|identifier)\s+(?:of|for)\s+(?:the|an?)\s+(?:new\s+|specific\s+)?([\p{L}-]+)/iu.exec(
      String(schema.description ?? ""),
    )?.[1];
  const before = /^(?:the\s+)?(?:[\p{L}]+\s+)?(\p{L}+)\s+(?:name|id)\b/iu.exec(
    String(schema.description ?? ""),
  )?.[1];
  const last = bare.split(" ").at(-1) ?? "";
  return [
    ...new Set([bare, last, ...[described, before].flatMap((noun) => noun?.toLowerCase() ?? [])]),
  ].filter((noun) => noun.length > 2 && !NO_NOUN.test(noun));
}

/** "set the status of ENG-12 to Done" */
const CHANGES =
  /^\W*(?:please\s+|bitte\s+|por favor,?\s+)?(?:set|change|update|switch|turn|setze?|ändere?|stelle?|cambia|pon|actualiza|change|mets|modifie|muda|altera)(?!\p{L})/iu;

interface Search {
  readonly task: string;
  readonly values: readonly FoundValue[];
  readonly nouns: readonly string[];
  /** Also plain lower-case words. */
  readonly loosely: boolean;
}

/** Behind one of the nouns, else before it. */
export function valueBesideNoun({ task, nouns, loosely, values }: Search): FoundValue | undefined {
  for (const noun of nouns) {
    const said = `(?<![\\p{L}\\d_-])(?i:(?:${spokenNoun(noun)}))(?:s|['’]s)?`;
    const value = loosely ? `(?:${CAPITALS}|${CODE}|${PLAIN})` : `(?:${CAPITALS}|${CODE})`;
    const behind = new RegExp(`${said}(?![\\p{L}\\d_-])${BETWEEN}(${value})(?![\\p{L}\\d(])`, "u");
    const before = new RegExp(
      `(?<!\\p{L})(?:the|in|on|of|for|from|to|del|der|im|la|le)\\s+(${CAPITALS}|${CODE})\\s+${said}(?![\\p{L}\\d_-])`,
      "u",
    );
    const changed = new RegExp(
      `${said}(?![\\p{L}\\d_-])[^,.;:!?]{0,80}?\\s(?:to|auf|in|a|à|para|como)\\s+["'“„«]?(${CAPITALS}|${CODE}|\\p{Ll}[\\p{Ll}-]+)["'”»]?\\s*[.!]?$`,
      "u",
    );
    const found =
      (CHANGES.test(task) ? matchOf(changed, task) : undefined) ??
      matchOf(behind, task) ??
      (loosely ? matchOf(before, task) : undefined);
    if (found) return whole(found, values);
  }
  return undefined;
}

/** The quoted text or the number that it is a part of. */
const whole = (found: FoundValue, values: readonly FoundValue[]): FoundValue =>
  values.find(
    ({ kind, at, end }) => (kind === "quoted" || kind === "identifier") && at <= found.at && found.at < end,
  ) ?? found;

function matchOf(pattern: RegExp, task: string): FoundValue | undefined {
  const match = pattern.exec(task);
  const text = match?.[1];
  if (!match || !text || NOT_A_VALUE.has(text.toLowerCase())) return undefined;
  const at = match.index + match[0].lastIndexOf(text);
  return { kind: "quoted", text, at, end: at + text.length };
}
