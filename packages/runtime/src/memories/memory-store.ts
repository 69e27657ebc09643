/** Facts that outlive a session: written, found by words and meaning, changed and forgotten. Every read names its owners. */
import { fail, ok, type Result } from "@capstan/core";
import type { Embed, MemoryScope } from "@capstan/core/internal";
import type { Database } from "../db/database.ts";
import { isAfterText, type Place, pageOf, placeText } from "../db/keyset.ts";
import { isUuid } from "../db/uuid.ts";
import { createMeaningKeys, type MeaningKeys, packedVector, similarity } from "./meaning-keys.ts";
import { factId, factKeys, type MemoryOwner, type MemorySearch, memorySearch } from "./memory-keys.ts";

export interface MemoryRecord extends MemoryOwner {
  readonly id: string;
  readonly text: string;
  readonly labels: readonly string[];
  readonly createdBy: string;
  readonly agentId: string | null;
  readonly sessionId: string | null;
  readonly runId: string | null;
  readonly callId: string | null;
  readonly editedBy: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface NewMemory extends MemoryOwner {
  readonly text: string;
  readonly labels: readonly string[];
  readonly createdBy: string;
  readonly agentId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly runId?: string | undefined;
  readonly callId?: string | undefined;
}

export interface FoundMemory extends MemoryRecord {
  /** Similarity of the texts, and the shares of matching words and meanings. */
  readonly score: number;
}

export interface MemoryFilter {
  readonly owners?: readonly MemoryOwner[] | undefined;
  readonly scope?: MemoryScope | undefined;
  readonly after?: Place | undefined;
  readonly limit: number;
}

export interface MemoryStore {
  add(memory: NewMemory): Promise<Result<MemoryRecord>>;
  get(id: string): Promise<Result<MemoryRecord>>;
  /** Newest first; owners absent: everyone's. */
  list(filter: MemoryFilter): Promise<{ items: MemoryRecord[]; nextCursor?: string }>;
  /** Of these owners only, the best first. */
  search(owners: readonly MemoryOwner[], text: string, limit: number): Promise<FoundMemory[]>;
  change(id: string, change: MemoryChange, by: string): Promise<Result<MemoryRecord>>;
  forget(id: string): Promise<Result<MemoryRecord>>;
}

export interface MemoryChange {
  readonly text?: string | undefined;
  readonly labels?: readonly string[] | undefined;
}

export const MOST_FACTS = 2_000; // of one owner
const MOST_CANDIDATES = 1_000;
const LOWEST_SCORE = 0.25; // below this, similarity is chance
const WORD_WEIGHT = 0.5;
const MEANING_WEIGHT = 0.5;

const COLUMNS = `id, scope, subject, text, labels, created_by as "createdBy", agent_id as "agentId", session_id as "sessionId",
  run_id as "runId", call_id as "callId", edited_by as "editedBy", created_at as "createdAt", updated_at as "updatedAt"`;

/** Nothing is written when the owner's memory is full. A known fact keeps its text and its labels. */
const ADD = `insert into memories(id, scope, subject, text, keys, vector, labels, created_by, agent_id, session_id, run_id, call_id)
  select $1::uuid, $2::text, $3::text, $4::text, array_to_tsvector($5::text[]), $6::bytea, $7::jsonb, $8::text, $9::text,
    $10::uuid, $11::uuid, $12::text
  where exists (select 1 from memories where id = $1)
    or (select count(*) from memories where scope = $2 and subject = $3) < ${MOST_FACTS}
  on conflict (id) do update set updated_at = now() returning ${COLUMNS}`;
const GET = `select ${COLUMNS} from memories where id = $1`;
const OWNED = `exists (select 1 from json_to_recordset($1::json) as o(scope text, subject text)
  where o.scope = m.scope and o.subject = m.subject)`;
const LIST = `select ${COLUMNS}, ${placeText("created_at")} as "at"
  from memories m where ($1::json is null or ${OWNED}) and ($2::text is null or m.scope = $2)
  and ${isAfterText("m.created_at", "m.id", 3)}
  order by m.created_at desc, m.id desc limit $5`;
/** The owner is part of the index's query, and checked again: a hash decides nothing. */
const SEARCH = `select ${COLUMNS}, vector, tsvector_to_array(keys) as lexemes from memories m where m.keys @@ $2::tsquery and ${OWNED}
  order by m.updated_at desc limit ${MOST_CANDIDATES}`;
const CHANGE = `update memories set text = $2, keys = array_to_tsvector($3::text[]), vector = $4::bytea, labels = $5::jsonb,
  edited_by = $6, updated_at = now() where id = $1 returning ${COLUMNS}`;
const FORGET = `delete from memories where id = $1 returning ${COLUMNS}`;

export interface MemoryParts {
  readonly database: Pick<Database, "pool">;
  /** Both are loaded on first use. */
  readonly embed: () => Embed;
  /** The anchor words. Stored facts depend on them. */
  readonly anchors: () => readonly string[];
}

export function memoryStore({ database: { pool }, embed, anchors }: MemoryParts): MemoryStore {
  let kept: MeaningKeys | undefined;
  const meaning: MeaningKeys = (word, most) => {
    kept ??= createMeaningKeys(embed(), anchors());
    return kept(word, most);
  };
  const one = async (statement: string, values: unknown[], id: string): Promise<Result<MemoryRecord>> => {
    const { rows } = isUuid(id) ? await pool.query<MemoryRecord>(statement, values) : { rows: [] };
    return rows[0] ? ok(rows[0]) : fail("not_found", { what: "memory", id });
  };
  const indexed = (owner: MemoryOwner, text: string) => {
    const vector = embed()(text);
    return { keys: factKeys(owner, text, meaning), packed: vector ? packedVector(vector) : null };
  };
  const get = (id: string) => one(GET, [id], id);
  return {
    get,
    async add(memory) {
      const { scope, subject, text, createdBy, agentId, sessionId, runId, callId } = memory;
      const { keys, packed } = indexed(memory, text);
      const labels = JSON.stringify(memory.labels);
      const from = [agentId ?? null, sessionId ?? null, runId ?? null, callId ?? null];
      const id = factId(memory, text);
      const { rows } = await pool.query<MemoryRecord>(ADD, [
        id,
        scope,
        subject,
        text,
        keys,
        packed,
        labels,
        createdBy,
        ...from,
      ]);
      return rows[0] ? ok(rows[0]) : fail("limit_reached", { what: "facts of one owner", limit: MOST_FACTS });
    },
    async list({ owners, scope, after, limit }) {
      const asked = owners === undefined ? null : JSON.stringify(owners);
      const values = [asked, scope ?? null, after?.at ?? null, after?.id ?? null, limit + 1];
      const { rows } = await pool.query<MemoryRecord & Place>(LIST, values);
      return pageOf(rows, limit, (place) => place);
    },
    async search(owners, text, limit) {
      const search = memorySearch(owners, text, meaning);
      if (!search) return [];
      const { rows } = await pool.query<Candidate>(SEARCH, [JSON.stringify(owners), search.tsquery]);
      const vector = embed()(text);
      return rows
        .map((row) => scored(row, search, vector))
        .filter(({ score }) => score >= LOWEST_SCORE)
        .sort((a, b) => b.score - a.score)
        .slice(0, limit);
    },
    async change(id, { text, labels }, by) {
      const found = await get(id);
      if (!found.ok) return found;
      const next = text ?? found.value.text;
      const { keys, packed } = indexed(found.value, next);
      return one(CHANGE, [id, next, keys, packed, JSON.stringify(labels ?? found.value.labels), by], id);
    },
    forget: (id) => one(FORGET, [id], id),
  };
}

type Candidate = MemoryRecord & { readonly vector: Uint8Array | null; readonly lexemes: readonly string[] };

function scored(
  { vector: packed, lexemes, ...record }: Candidate,
  { words, meanings }: MemorySearch,
  vector: Float32Array | undefined,
): FoundMemory {
  const own = new Set(lexemes);
  const share = (keys: readonly string[]) =>
    keys.length === 0 ? 0 : keys.filter((key) => own.has(key)).length / keys.length;
  const near = packed && vector ? Math.max(0, similarity(packed, vector)) : 0;
  const score =
    near + WORD_WEIGHT * share(words.map((word) => `w${word}`)) + MEANING_WEIGHT * share(meanings);
  return { ...record, score };
}
