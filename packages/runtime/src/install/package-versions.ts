/**
 * Earlier versions of installed packages, kept with their archives while something needs them: an agent, one of its revisions,
 * a recorded run, or a replay or experiment under way. Versions that only revisions or runs had are limited in number; pinned
 * ones are not.
 */
import { satisfies, semverOf } from "@capstan/core/internal";
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import type { PackageRecord } from "../db/schema/package-record.ts";
import type { Keeping } from "./package-kind.ts";

const MOST_RECORDED = 10; // each may be an archive of megabytes

type Executor = Pick<Database["orm"], "execute">;

/** Newest first. */
export async function readKept(orm: Executor, name?: string): Promise<PackageRecord[]> {
  const { rows } = await orm.execute<{ record: PackageRecord }>(sql`select record from package_versions
    where ${name ?? null}::text is null or name = ${name ?? null} order by created_at desc`);
  return rows.map(({ record }) => record);
}

export async function forgetKept(orm: Executor, name: string, version?: string): Promise<boolean> {
  const { rows } = await orm.execute(sql`delete from package_versions
    where name = ${name} and (${version ?? null}::text is null or version = ${version ?? null}) returning version`);
  return rows.length > 0;
}

/** Call it before `next` takes the place of the installed version. */
export async function keepReplaced(
  tx: Executor,
  next: PackageRecord,
  keeping: (version: PackageRecord) => Keeping,
): Promise<void> {
  const { rows } = await tx.execute<{ record: PackageRecord }>(
    sql`select record from packages where name = ${next.name} for update`,
  );
  const before = rows[0]?.record;
  if (before && before.version !== next.version && keeping(before) !== "no")
    await tx.execute(sql`insert into package_versions (name, version, sha256, record)
      values (${before.name}, ${before.version}, ${before.sha256}, ${JSON.stringify(before)}::jsonb)
      on conflict (name, version) do update set sha256 = excluded.sha256, record = excluded.record, created_at = now()`);
  await forgetKept(tx, next.name, next.version);
  await forgetUnneeded(tx, next.name, keeping);
}

async function forgetUnneeded(
  tx: Executor,
  name: string,
  keeping: (version: PackageRecord) => Keeping,
): Promise<void> {
  let recorded = 0;
  for (const record of await readKept(tx, name)) {
    const needs = await needsOf(tx, idsIn(record));
    const own = semverOf(record.version);
    if (needs.named.some((pin) => satisfies(own, pin))) continue;
    const isRecorded = keeping(record) === "recorded" && needs.recorded.includes(own);
    if (isRecorded && ++recorded <= MOST_RECORDED) continue;
    await forgetKept(tx, name, record.version);
  }
}

/** The capabilities that a package registers, all in its version: its own, and its bundled skills. */
export const idsIn = ({ description: { capability, skills } }: PackageRecord): string[] => [
  ...new Set([...(capability === undefined ? [] : [capability]), ...skills]),
];

/** `named`: pins; `recorded`: versions that revisions were saved with, or that runs had. */
async function needsOf(
  tx: Executor,
  ids: readonly string[],
): Promise<{ named: string[]; recorded: string[] }> {
  const isOne = (id: SQL) => sql`${id} in (select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))`;
  const { rows } = await tx.execute<{ version: string; named: boolean }>(sql`
    select version, true as named from agent_capabilities where ${isOne(sql`capability_id`)} and version is not null
    union
    select ref->>'version', true from agent_revisions, jsonb_array_elements(capabilities) ref
      where ${isOne(sql`ref->>'id'`)} and ref->>'version' is not null
    union
    select ref->>'version', true from replays, jsonb_path_query(change, '$.capabilities[*]') ref
      where status = 'running' and ${isOne(sql`ref->>'id'`)} and ref->>'version' is not null
    union
    select ref->>'version', true from experiments, jsonb_path_query(variants, '$.**.capabilities[*]') ref
      where status = 'running' and ${isOne(sql`ref->>'id'`)} and ref->>'version' is not null
    union
    select pin->>'version', false from agent_revisions, jsonb_path_query(pins, '$[*]') pin where ${isOne(sql`pin->>'id'`)}
    union
    select had.value, false from prompts, json_each_text(versions) had where ${isOne(sql`had.key`)}`);
  const versions = (named: boolean) =>
    rows.filter((row) => row.named === named).map(({ version }) => version);
  return { named: versions(true), recorded: versions(false) };
}
