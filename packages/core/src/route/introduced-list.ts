/** A list behind the word that announces it: "without dist and *.log", "ohne dist", "the names Ana Ruiz and Tom Bell", "tags a, b and c". */
const LEAVE_OUT =
  "without|except(?: for)?|excluding|exclude|ignoring|ignore|skipping|skip|leaving out|leave out|ohne|außer|sin|excepto|excluyendo|sans|sauf|excluant|sem|exceto|excluindo";
const OTHER_WORDS: readonly (readonly [name: RegExp, words: string])[] = [
  [/^(exclude|ignore|skip|except|omit)/i, LEAVE_OUT],
  [/^names?$/i, "names?|namen|nombres?|noms?|nomes?"],
  [
    /^(tags?|labels?|keywords?)$/i,
    "tags?|labels?|keywords?|etiquetas?|étiquettes?|schlagwort(?:en?)?|stichwort(?:en?)?",
  ],
  [
    /^(recipients?|people|persons?|participants?|attendees|guests?)$/i,
    "recipients?|participants?|attendees|guests?|teilnehmern?|participantes|invitados",
  ],
];
const CAPITALS = String.raw`\p{Lu}[\p{L}\p{N}'&-]*(?:\s+\p{Lu}[\p{L}\p{N}'&-]*)+`;
const ITEM = String.raw`(?:${CAPITALS}|[\p{L}\p{N}*._@/-]*[\p{L}\p{N}*_/])`;
const BETWEEN = String.raw`(?:\s*,\s*(?:(?:and|und|y|et|e)\s+)?|\s+(?:and|und|y|et|e|or|oder|o|ou)\s+)`;
const ARTICLE = String.raw`(?:(?:the|any|all|files?|folders?|den|die|das|der|los|las|el|la|les|le|os|as|o|a|dateien|ordner|archivos|fichiers|arquivos|of|de|von)\s+)*`;

export function listBehind(name: string, task: string): string[] {
  const own = name.replaceAll(/[^\p{L}]+/gu, " ").trim();
  const words =
    OTHER_WORDS.find(([named]) => named.test(own))?.[1] ??
    (/s$/.test(own) && own.length > 3 ? own : undefined);
  if (words === undefined) return [];
  const found = new RegExp(
    String.raw`(?<!\p{L})(?i:${words})\s*:?\s+${ARTICLE}(${ITEM}(?:${BETWEEN}${ITEM})*)`,
    "u",
  ).exec(task)?.[1];
  const items = found?.split(new RegExp(BETWEEN, "iu")).map((item) => item.trim()) ?? [];
  return items.every(isItem) ? items : [];
}

/** Function words are prose, not items. */
const isItem = (item: string): boolean =>
  item.length > 1 &&
  !/^(?:in|on|at|to|for|of|that|which|with|from|it|this|them|come|comes|im|für|mit|es|en|para|que|dans|pour|em|do|da|du)$/i.test(
    item,
  );
