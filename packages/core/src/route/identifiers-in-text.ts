/** "channel C04AB12CD", "Karte 5f1c2ab9", "project 4711": an identifier behind the noun that its parameter is named after. */
import { spokenNoun } from "./spoken-nouns.ts";
import type { FoundValue } from "./task-values.ts";

/** Written like no word: with a digit, a capital inside, or a sign between. */
const TOKEN = String.raw`((?=[^\s,;]*(?:\d|\p{Ll}\p{Lu}|[\p{L}\d][/_-][\p{L}\d]))[\p{L}\d](?:[\p{L}\d_./@-]*[\p{L}\d])?)`;
const BETWEEN = String.raw`(?:\s+(?:with|mit|con|avec|com|the|der|el|la|le|o))*(?:\s+(?:id|number|no\.?|nr\.?|key|called))*\s*[:#]?\s*`;

export function identifierNamed(parameter: string, task: string): FoundValue | undefined {
  const words = parameter
    .replaceAll(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/[_-](?:id|ids|number|no|key|code|ts|iid|gid|uid|sid)$/i, "")
    .split(/[_-]/);
  const nouns = [words.join(" "), words.at(-1) ?? ""].filter(
    (noun) => noun.length > 2 && !/^ids?$/i.test(noun),
  );
  for (const noun of nouns) {
    const said = new RegExp(
      String.raw`(?<![\p{L}\d])(?i:${spokenNoun(noun)})(?![\p{L}\d])(?i:${BETWEEN})${TOKEN}`,
      "u", // a capital inside a word is a sign: not for all of it in either case
    );
    const found = said.exec(task);
    const text = found?.[1];
    if (!found || !text) continue;
    const at = found.index + found[0].length - text.length;
    return { kind: "quoted", text, at, end: at + text.length };
  }
  return undefined;
}
