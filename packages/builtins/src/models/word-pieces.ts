/**
 * BERT's uncased WordPiece tokenizer: converts a text to vocabulary rows, for the static table and for MiniLM.
 * A word is split greedily into the longest pieces in the vocabulary; a word with an unknown piece is the unknown token.
 */
const UNKNOWN = 100;
const MAX_WORD_CHARS = 100; // as in BERT: longer words are unknown
const MEMO_LIMIT = 50_000;

export interface WordPieces {
  /** At most `limit` rows; unknown tokens are kept only on request. */
  rows(text: string, limit: number, options?: { keepUnknown?: boolean }): number[];
}

export function createWordPieces(vocabulary: readonly string[]): WordPieces {
  const rowOf = new Map(vocabulary.map((piece, row) => [piece, row]));
  const memo = new Map<string, readonly number[]>();

  const piecesOf = (word: string): readonly number[] => {
    const known = memo.get(word);
    if (known) return known;
    const pieces = cut(word, rowOf);
    if (memo.size >= MEMO_LIMIT) memo.clear();
    memo.set(word, pieces);
    return pieces;
  };

  return {
    rows(text, limit, { keepUnknown = false } = {}) {
      const rows: number[] = [];
      for (const word of basicWords(text)) {
        const pieces = piecesOf(word);
        if (keepUnknown || pieces[0] !== UNKNOWN) rows.push(...pieces);
        if (rows.length >= limit) break;
      }
      return rows.slice(0, limit);
    },
  };
}

function cut(word: string, rowOf: ReadonlyMap<string, number>): readonly number[] {
  if (word.length > MAX_WORD_CHARS) return [UNKNOWN];
  const rows: number[] = [];
  let start = 0;
  while (start < word.length) {
    let end = word.length;
    let row: number | undefined;
    while (end > start) {
      row = rowOf.get((start > 0 ? "##" : "") + word.slice(start, end));
      if (row !== undefined) break;
      end--;
    }
    if (row === undefined) return [UNKNOWN];
    rows.push(row);
    start = end;
  }
  return rows;
}

/** Lower-case words and single punctuation marks, accents removed, each Han character separately. */
function basicWords(text: string): string[] {
  const lower = text.toLowerCase();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII
  const plain = /^[\u0000-\u007f]*$/.test(lower) ? lower : lower.normalize("NFD").replace(/\p{Mn}/gu, "");
  return plain.match(/[\u4e00-\u9fff]|[!-/:-@[-`{-~\p{P}]|[^\s!-/:-@[-`{-~\p{P}\u4e00-\u9fff]+/gu) ?? [];
}
