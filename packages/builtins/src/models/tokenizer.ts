/**
 * Token counts with a real tokenizer (o200k, the encoding of OpenAI's current models; others differ by a few percent).
 * Its table is megabytes, so it is loaded at the first count instead of at server start; without the optional
 * package, four characters count as a token.
 */
import { createRequire } from "node:module";

type Count = (text: string) => number;

const MOST_KEPT = 2000; // capability texts repeat in every composition
const LONGEST_KEPT = 20_000; // characters; a longer text is a conversation, which is not counted twice
const CHARS_PER_TOKEN = 4;
/** A file next to the server's bundle, with just this encoding; otherwise the package, which has all of them. */
const PLACES = ["./o200k-base.cjs", "gpt-tokenizer/cjs/encoding/o200k_base"];
const kept = new Map<string, number>();
let counter: Count | undefined;

export function countTokens(text: string): number {
  const known = kept.get(text);
  if (known !== undefined) return known;
  counter ??= loadCounter();
  const count = counter(text);
  if (kept.size >= MOST_KEPT) kept.clear();
  if (text.length <= LONGEST_KEPT) kept.set(text, count);
  return count;
}

function loadCounter(): Count {
  const require = createRequire(import.meta.url);
  for (const place of PLACES) {
    try {
      const { countTokens } = require(place) as {
        countTokens: (text: string, options?: object) => number;
      };
      return (text) => countTokens(text, { disallowedSpecial: new Set() }); // a prompt may quote <|endoftext|>
    } catch {
      // the next place, or none
    }
  }
  return (text) => Math.ceil(text.length / CHARS_PER_TOKEN);
}
