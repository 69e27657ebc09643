/** Checks and writes one file in one statement. The caller holds the session's row lock, so what it reads stays valid. */
export const WRITE_FILE = `
with found as (
  select path, is_directory, is_readonly, size_bytes from session_files
  where session_id = $1 and path = any($4::text[] || $2::text)),
before as (select * from found where path = $2),
blocker as (select path from found where path <> $2 and not is_directory limit 1),
room as (
  select s.file_bytes + $6::bigint - coalesce((select size_bytes from before), 0) as total from sessions s where s.id = $1),
decided as (select case
    when exists (select from before where is_directory) then 'file_is_directory'
    when exists (select from before where is_readonly) then 'file_readonly'
    when exists (select from blocker) then 'file_not_directory'
    when (select total from room) > $7::bigint then 'session_full'
    else 'ok' end as verdict),
parents as (
  insert into session_files (session_id, path, parent, is_directory)
  select $1, made.path, made.parent, true from decided
  cross join unnest($4::text[], $5::text[]) as made(path, parent)
  where decided.verdict = 'ok' on conflict do nothing),
written as (
  insert into session_files (session_id, path, parent, size_bytes, content, is_readonly, is_text)
  select $1, $2, $3, $6, $8, $9, $10 from decided where verdict = 'ok'
  on conflict (session_id, path) do update set size_bytes = excluded.size_bytes, content = excluded.content,
    is_readonly = excluded.is_readonly, is_text = excluded.is_text, updated_at = now()
  returning created_at, updated_at),
counted as (
  update sessions set file_bytes = (select total from room) where id = $1 and (select verdict from decided) = 'ok')
select decided.verdict, (select path from blocker) as blocked_by, (select total from room) as total,
  not exists (select from before) as created, written.created_at, written.updated_at
from decided left join written on true`;
