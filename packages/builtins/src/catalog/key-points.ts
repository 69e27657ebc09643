/** The most representative sentences of a text, by the frequency of their words. Deterministic, no model. */

const WORD = /[\p{L}\p{N}]{4,}/gu;
const MAX_SENTENCES = 2000;

export function keyPoints(text: string, most = 5): string[] {
  const sentences = text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.replace(/^[#>*\-\s|]+/, "").trim())
    .filter((sentence) => sentence.length >= 30 && sentence.length <= 400)
    .slice(0, MAX_SENTENCES);
  const counts = new Map<string, number>();
  for (const word of text.toLowerCase().match(WORD) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
  const scored = sentences.map((sentence, position) => {
    const words = sentence.toLowerCase().match(WORD) ?? [];
    const weight = words.reduce((sum, word) => sum + Math.log1p(counts.get(word) ?? 0), 0);
    return { sentence, position, score: words.length === 0 ? 0 : weight / Math.sqrt(words.length) };
  });
  return scored
    .sort((a, b) => b.score - a.score || a.position - b.position)
    .slice(0, most)
    .sort((a, b) => a.position - b.position)
    .map(({ sentence }) => sentence);
}
