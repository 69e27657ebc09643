/**
 * Full-text search over sessions, by Postgres on both stores. A session is indexed when someone searches, not when
 * someone writes: sending a message costs nothing, and after a crash the next search
 * indexes what is missing.
 */
import type { Database } from "../db/database.ts";
import { isAfterText, type Place, pageOf, placeText } from "../db/keyset.ts";

export interface FoundSession {
  readonly id: string;
  readonly title: string;
  readonly agentId: string | null;
  readonly status: string;
  readonly updatedAt: Date;
  readonly archivedAt: Date | null;
  /** Excerpt with the matching words between « and ». */
  readonly excerpt: string;
}

export interface SessionSearch {
  readonly text: string;
  readonly limit: number;
  /** The owner; everyone's sessions when absent. */
  readonly owner?: string | undefined;
  readonly after?: Place | undefined;
}

const STEP = 200; // sessions indexed in one statement
const MOST_STEPS = 25; // in one search; the next one continues
const MOST_CHARS = 200_000; // of one session: the limit of a tsvector is a megabyte
const MOST_WORDS = 12;

const PART_TEXT = `coalesce(p->>'text', '') || ' ' || coalesce(left(p->>'input', 5000), '') || ' ' ||
  coalesce(left(p->'output'->>'value', 5000), '')`;

/** Sessions with more messages than were indexed. */
const READ_NEW = `with stale as (
    select s.id, s.title, m.count from sessions s
    join lateral (select max(position) + 1 as count from messages where session_id = s.id) m on m.count is not null
    left join session_texts t on t.session_id = s.id
    where t.messages is distinct from m.count order by s.updated_at desc limit $1),
  texts as (
    select stale.id, stale.title, stale.count, left(string_agg(x.text, ' ' order by x.position), ${MOST_CHARS}) as body
    from stale cross join lateral (select m.position, string_agg(${PART_TEXT}, ' ') as text
      from messages m, json_array_elements(m.content) p where m.session_id = stale.id group by m.position) x
    group by stale.id, stale.title, stale.count)
  insert into session_texts(session_id, words, messages)
    select id, strip(to_tsvector('simple', coalesce(title, '') || ' ' || coalesce(body, ''))), count from texts
  on conflict (session_id) do update set words = excluded.words, messages = excluded.messages`;

const FIND = `select s.id, s.title, s.agent_id as "agentId", s.status, s.updated_at as "updatedAt", s.archived_at as "archivedAt",
    ${placeText("s.updated_at")} as "at",
    coalesce((select ts_headline('simple', x.text, to_tsquery('simple', $1),
        'StartSel=«, StopSel=», MaxFragments=1, MaxWords=18, MinWords=8')
      from (select left(string_agg(${PART_TEXT}, ' '), 20000) as text, m.position
        from messages m, json_array_elements(m.content) p where m.session_id = s.id group by m.position) x
      where to_tsvector('simple', x.text) @@ to_tsquery('simple', $1) order by x.position desc limit 1), '') as excerpt
  from sessions s left join session_texts t on t.session_id = s.id
  where ($2::text is null or s.owner = $2)
    and (t.words @@ to_tsquery('simple', $1) or to_tsvector('simple', s.title) @@ to_tsquery('simple', $1))
    and ${isAfterText("s.updated_at", "s.id", 4)}
  order by s.updated_at desc, s.id desc limit $3`;

export async function searchSessions(
  { pool }: Pick<Database, "pool">,
  { text, limit, owner, after }: SessionSearch,
): Promise<{ items: FoundSession[]; nextCursor?: string }> {
  const query = queryOf(text);
  if (query === undefined) return { items: [] };
  for (let step = 0; step < MOST_STEPS; step++) {
    const { rowCount } = await pool.query(READ_NEW, [STEP]);
    if ((rowCount ?? 0) < STEP) break;
  }
  const values = [query, owner ?? null, limit + 1, after?.at ?? null, after?.id ?? null];
  const { rows } = await pool.query<FoundSession & Place>(FIND, values);
  return pageOf(rows, limit, (place) => place);
}

/** All words, the last one also as a prefix: it is being typed. No query syntax gets through. */
export function queryOf(text: string): string | undefined {
  const words = (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MOST_WORDS);
  if (words.length === 0) return undefined;
  return words.map((word, index) => (index === words.length - 1 ? `${word}:*` : word)).join(" & ");
}
