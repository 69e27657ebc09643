/**
 * Every version of a saved capability document. A version that is saved again gets the new content. The oldest of many are
 * deleted, but never one that an agent or one of its revisions names.
 */
import { satisfies } from "@capstan/core/internal";
import { sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";

const MOST_KEPT = 50;

export interface DocumentVersion {
  readonly version: string;
  readonly document: unknown;
}

export interface DocumentVersionFacts {
  readonly version: string;
  /** Hash of its content. */
  readonly sha256: string;
  readonly by: string;
  readonly at: Date;
}

export type VersionTransaction = Parameters<Parameters<Database["orm"]["transaction"]>[0]>[0];
type Executor = Pick<Database["orm"], "execute">;

/** Call it before the document is replaced: an older store has no version of it yet. */
export async function keepReplaced(tx: VersionTransaction, id: string): Promise<void> {
  await tx.execute(sql`insert into capability_document_versions (id, version, document, created_by, created_at)
    select id, version, document, created_by, updated_at from capability_documents where id = ${id}
    on conflict do nothing`);
}

export async function keepVersion(
  tx: VersionTransaction,
  { id, version, document, by }: { id: string; version: string; document: unknown; by: string },
): Promise<void> {
  await tx.execute(sql`insert into capability_document_versions (id, version, document, created_by)
    values (${id}, ${version}, ${JSON.stringify(document)}::jsonb, ${by})
    on conflict (id, version) do update set document = excluded.document, created_by = excluded.created_by, created_at = now()`);
  await dropOldest(tx, id);
}

export async function forgetVersions(tx: VersionTransaction, id: string, version?: string): Promise<boolean> {
  const { rows } = await tx.execute(sql`delete from capability_document_versions
    where id = ${id} and (${version ?? null}::text is null or version = ${version ?? null}) returning version`);
  return rows.length > 0;
}

/** Newest first. */
export async function readVersions(orm: Executor, id: string): Promise<DocumentVersion[]> {
  const { rows } = await orm.execute<{ version: string; document: unknown }>(
    sql`select version, document from capability_document_versions where id = ${id} order by created_at desc`,
  );
  return rows;
}

/** Includes the registered one of an older store without versions. Newest first. */
export async function listVersions(orm: Executor, id: string): Promise<DocumentVersionFacts[]> {
  const { rows } = await orm.execute<{ version: string; sha256: string; by: string; at: string | Date }>(sql`
    select version, encode(sha256(convert_to(document::text, 'UTF8')), 'hex') as sha256, by, at from (
      select version, document, created_by as by, created_at as at from capability_document_versions where id = ${id}
      union all
      select version, document, created_by, updated_at from capability_documents d where id = ${id} and not exists
        (select from capability_document_versions v where v.id = d.id and v.version = d.version)) every_version
    order by at desc`);
  return rows.map((row) => ({ ...row, at: new Date(row.at) }));
}

async function dropOldest(tx: VersionTransaction, id: string): Promise<void> {
  const { rows: old } = await tx.execute<{ version: string }>(
    sql`select version from capability_document_versions where id = ${id} order by created_at desc offset ${MOST_KEPT}`,
  );
  if (old.length === 0) return;
  const pins = await pinsOf(tx, id);
  for (const { version } of old)
    if (!pins.some((pin) => satisfies(version, pin))) await forgetVersions(tx, id, version);
}

/** What agents and their revisions pin it to. */
async function pinsOf(tx: Executor, id: string): Promise<string[]> {
  const { rows } = await tx.execute<{ version: string }>(sql`
    select version from agent_capabilities where capability_id = ${id} and version is not null
    union
    select ref->>'version' from agent_revisions, jsonb_array_elements(capabilities) ref
    where ref->>'id' = ${id} and ref->>'version' is not null`);
  return rows.map(({ version }) => version);
}
