/** A user's stored texts, found by words (Postgres full text) and by meaning (static embeddings), combined in one score. */
import type pg from "pg";
import { uuidv7 } from "uuidv7";

export interface KeptDocument {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

export interface KeptDocuments {
  add(owner: string, document: { title: string; text: string }): Promise<KeptDocument>;
  search(owner: string, query: string, limit: number): Promise<(KeptDocument & { score: number })[]>;
  count(owner: string): Promise<number>;
}

const MOST_COMPARED = 2000; // embeddings read per search; beyond that only words decide
const EXCERPT_CHARS = 2000;
const WORDS_SHARE = 0.5;

export function documentStore(
  pool: pg.Pool,
  embed?: (text: string) => Float32Array | undefined,
): KeptDocuments {
  return {
    async add(owner, { title, text }) {
      const id = uuidv7();
      const vector = embed?.(`${title} ${text}`.slice(0, 20_000));
      await pool.query(
        "insert into documents (id, owner, title, body, embedding) values ($1, $2, $3, $4, $5)",
        [
          id,
          owner,
          title,
          text,
          vector ? JSON.stringify([...vector].map((value) => Math.round(value * 1e4) / 1e4)) : null,
        ],
      );
      return { id, title, text };
    },
    async search(owner, query, limit) {
      const wanted = embed?.(query);
      const { rows } = await pool.query<{
        id: string;
        title: string;
        body: string;
        words: number;
        embedding: number[] | null;
      }>(SEARCH, [owner, query, MOST_COMPARED, EXCERPT_CHARS]);
      return rows
        .map(({ id, title, body, words, embedding }) => ({
          id,
          title,
          text: body,
          score: score(words, cosine(wanted, embedding)),
        }))
        .filter(({ score }) => score > 0.05)
        .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
        .slice(0, limit);
    },
    async count(owner) {
      const { rows } = await pool.query<{ n: number }>(
        "select count(*)::int as n from documents where owner = $1",
        [owner],
      );
      return rows[0]?.n ?? 0;
    },
  };
}

const SEARCH = `select id, title, left(body, $4) as body, embedding,
    ts_rank_cd(to_tsvector('simple', title || ' ' || body), websearch_to_tsquery('simple', $2), 32) as words
  from documents where owner = $1
  order by to_tsvector('simple', title || ' ' || body) @@ websearch_to_tsquery('simple', $2) desc, id desc limit $3`;

const score = (words: number, meaning: number): number =>
  Math.round((WORDS_SHARE * Math.min(1, words * 4) + (1 - WORDS_SHARE) * Math.max(0, meaning)) * 1000) / 1000;

function cosine(a: Float32Array | undefined, b: readonly number[] | null): number {
  if (!a || !b) return 0;
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum; // both are normalised
}
