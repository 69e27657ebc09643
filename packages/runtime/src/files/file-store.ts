/**
 * A session's files in the database. Every statement names the session, so no path can reach another session's files.
 * A write first locks the session's row: the size check is then one comparison without races.
 */
import { type FileStat, fail, ok, type Result, type SessionFileStore } from "@capstan/core";
import {
  baseName,
  type CompileGrep,
  DEFAULT_FILE_LIMITS,
  DEFAULT_GREP_LIMIT,
  type FileLimits,
  type GrepMatch,
  normalisePath,
  parentPath,
  parentPaths,
  pathPattern,
} from "@capstan/core/internal";
import type pg from "pg";
import { inTransaction } from "../db/transaction.ts";
import { WRITE_FILE } from "./write-file-statement.ts";

export interface FileStoreOptions {
  readonly pool: pg.Pool;
  readonly sessionId: string;
  readonly compile: CompileGrep;
  readonly limits?: Partial<FileLimits>;
}

const GREP_BATCH_BYTES = 4 * 1024 * 1024; // per batch: enough to be fast, small enough for memory

interface FileRow {
  path: string;
  is_directory: boolean;
  is_readonly: boolean;
  size_bytes: string;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = "path, is_directory, is_readonly, size_bytes, created_at, updated_at";

export function fileStore(options: FileStoreOptions): SessionFileStore {
  const at = async <T>(path: string, use: (normal: string) => Promise<Result<T>>): Promise<Result<T>> => {
    const normal = normalisePath(path);
    return normal.ok ? use(normal.value) : normal;
  };
  return {
    read: (path) => at(path, (normal) => read(options, normal)),
    write: (path, content, { readonly = false } = {}) =>
      at(path, (normal) => write(options, normal, content, readonly)),
    list: (path) => at(path, (normal) => list(options, normal)),
    stat: (path) => at(path, async (normal) => ok(await stat(options, normal))),
    delete: (path, { recursive = false } = {}) => at(path, (normal) => remove(options, normal, recursive)),
    grep: (pattern, { pathPattern: glob = "*", limit = DEFAULT_GREP_LIMIT } = {}) =>
      grep(options, pattern, glob, limit),
    all: () => all(options),
  };
}

async function read({ pool, sessionId }: FileStoreOptions, path: string): Promise<Result<Uint8Array>> {
  if (path === "/") return fail("file_is_directory", { path });
  const { rows } = await pool.query<{ is_directory: boolean; content: Buffer | null }>(
    "select is_directory, content from session_files where session_id = $1 and path = $2",
    [sessionId, path],
  );
  const [row] = rows;
  if (!row) return fail("file_not_found", { path });
  if (row.is_directory) return fail("file_is_directory", { path });
  return ok(new Uint8Array(row.content ?? []));
}

async function stat({ pool, sessionId }: FileStoreOptions, path: string): Promise<FileStat | undefined> {
  if (path === "/") return rootStat(pool, sessionId);
  const { rows } = await pool.query<FileRow>(
    `select ${COLUMNS} from session_files where session_id = $1 and path = $2`,
    [sessionId, path],
  );
  return rows[0] && fileStat(rows[0]);
}

async function rootStat(pool: pg.Pool, sessionId: string): Promise<FileStat | undefined> {
  const { rows } = await pool.query<{ created_at: Date; updated_at: Date }>(
    "select created_at, updated_at from sessions where id = $1",
    [sessionId],
  );
  const [row] = rows;
  return row && fileStat({ path: "/", is_directory: true, is_readonly: false, size_bytes: "0", ...row });
}

async function list(options: FileStoreOptions, path: string): Promise<Result<FileStat[]>> {
  const { rows } = await options.pool.query<FileRow>(
    `select ${COLUMNS} from session_files where session_id = $1 and parent = $2 order by path collate "C"`,
    [options.sessionId, path],
  );
  if (rows.length > 0) return ok(rows.map(fileStat));
  const directory = await stat(options, path);
  if (!directory) return fail("file_not_found", { path });
  return directory.isDirectory ? ok([]) : fail("file_not_directory", { path });
}

interface Written {
  verdict: string;
  blocked_by: string | null;
  total: string;
  created: boolean;
  created_at: Date | null;
  updated_at: Date | null;
}

async function write(
  { pool, sessionId, limits }: FileStoreOptions,
  path: string,
  content: Uint8Array,
  readonly: boolean,
): Promise<Result<{ stat: FileStat; created: boolean }>> {
  const { fileBytes, sessionBytes } = { ...DEFAULT_FILE_LIMITS, ...limits };
  const sizeBytes = content.length;
  if (path === "/") return fail("file_is_directory", { path });
  if (sizeBytes > fileBytes) return fail("file_too_large", { path, sizeBytes, limitBytes: fileBytes });
  const parents = parentPaths(path);
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const row = await withSessionLocked(pool, sessionId, async (client) => {
    const { rows } = await client.query<Written>(WRITE_FILE, [
      sessionId,
      path,
      parentPath(path),
      parents,
      parents.map(parentPath),
      sizeBytes,
      sessionBytes,
      bytes,
      readonly,
      isText(bytes),
    ]);
    return rows[0];
  });
  if (!row) return fail("not_found", { what: "session", id: sessionId });
  if (row.verdict !== "ok") return refusedWrite(row, path, sessionBytes);
  const stat = fileStat({
    path,
    is_directory: false,
    is_readonly: readonly,
    size_bytes: String(sizeBytes),
    created_at: row.created_at ?? new Date(),
    updated_at: row.updated_at ?? new Date(),
  });
  return ok({ stat, created: row.created });
}

function refusedWrite(
  { verdict, blocked_by, total }: Written,
  path: string,
  limitBytes: number,
): Result<never> {
  if (verdict === "session_full") return fail("session_full", { sizeBytes: Number(total), limitBytes });
  if (verdict === "file_not_directory") return fail("file_not_directory", { path: blocked_by ?? path });
  return fail(verdict === "file_readonly" ? "file_readonly" : "file_is_directory", { path });
}

async function remove(
  options: FileStoreOptions,
  path: string,
  recursive: boolean,
): Promise<Result<{ deleted: number }>> {
  const { pool, sessionId } = options;
  const found = await stat(options, path);
  if (!found) return fail("file_not_found", { path });
  const inside = path === "/" ? "path <> '/'" : "(path = $2 or starts_with(path, $2 || '/'))";
  const values = path === "/" ? [sessionId] : [sessionId, path];
  const outcome = await withSessionLocked(
    pool,
    sessionId,
    async (client): Promise<Result<{ deleted: number }>> => {
      const { rows } = await client.query<{ path: string; is_readonly: boolean }>(
        `select path, is_readonly from session_files where session_id = $1 and ${inside} order by path collate "C"`,
        values,
      );
      if (!recursive && rows.some((row) => row.path !== path)) return fail("directory_not_empty", { path });
      const kept = rows.find(({ is_readonly }) => is_readonly);
      if (kept) return fail("file_readonly", { path: kept.path });
      await client.query(
        `with gone as (delete from session_files where session_id = $1 and ${inside} returning size_bytes)
       update sessions set file_bytes = greatest(0, file_bytes - coalesce((select sum(size_bytes) from gone), 0)) where id = $1`,
        values,
      );
      return ok({ deleted: rows.length });
    },
  );
  return outcome ?? fail("not_found", { what: "session", id: sessionId });
}

async function grep(
  options: FileStoreOptions,
  pattern: string,
  glob: string,
  limit: number,
): Promise<Result<{ matches: GrepMatch[]; truncated: boolean }>> {
  const finder = options.compile(pattern);
  if (!finder.ok) return finder;
  const wanted = pathPattern(glob);
  if (!wanted.ok) return wanted;
  const matches: GrepMatch[] = [];
  for await (const { path, content } of textFiles(options, wanted.value)) {
    for (const found of finder.value(content, limit + 1 - matches.length)) matches.push({ path, ...found });
    if (matches.length > limit) return ok({ matches: matches.slice(0, limit), truncated: true });
  }
  return ok({ matches, truncated: false });
}

/** Text files in path order. Names first, then contents a few megabytes at a time, which yields to the event loop. */
async function* textFiles({ pool, sessionId }: FileStoreOptions, wanted: (path: string) => boolean) {
  const { rows: names } = await pool.query<{ path: string; size_bytes: string }>(
    `select path, size_bytes from session_files
     where session_id = $1 and not is_directory and is_text order by path collate "C"`,
    [sessionId],
  );
  for (const paths of batches(names.filter(({ path }) => wanted(path)))) {
    const { rows } = await pool.query<{ path: string; content: Buffer | null }>(
      `select path, content from session_files where session_id = $1 and path = any($2::text[]) order by path collate "C"`,
      [sessionId, paths],
    );
    for (const { path, content } of rows) yield { path, content: content ?? new Uint8Array() };
  }
}

function* batches(files: readonly { path: string; size_bytes: string }[]): Generator<string[]> {
  let paths: string[] = [];
  let bytes = 0;
  for (const { path, size_bytes } of files) {
    paths.push(path);
    bytes += Number(size_bytes);
    if (bytes < GREP_BATCH_BYTES) continue;
    yield paths;
    paths = [];
    bytes = 0;
  }
  if (paths.length > 0) yield paths;
}

async function all({ pool, sessionId }: FileStoreOptions): Promise<Result<Map<string, Uint8Array>>> {
  const { rows } = await pool.query<{ path: string; content: Buffer | null }>(
    `select path, content from session_files where session_id = $1 and not is_directory order by path collate "C"`,
    [sessionId],
  );
  return ok(new Map(rows.map(({ path, content }) => [path, new Uint8Array(content ?? [])])));
}

const LOCK_SESSION = "select 1 from sessions where id = $1 for no key update";

/** Runs `work` with the session's row locked; undefined when there is no such session. */
function withSessionLocked<T>(
  pool: pg.Pool,
  sessionId: string,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T | undefined> {
  return inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(LOCK_SESSION, [sessionId]);
    return rowCount === 0 ? undefined : work(client);
  });
}

function fileStat(row: FileRow): FileStat {
  return {
    path: row.path,
    name: baseName(row.path),
    isDirectory: row.is_directory,
    isReadonly: row.is_readonly,
    sizeBytes: Number(row.size_bytes),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const isText = (bytes: Uint8Array): boolean => !bytes.includes(0);
