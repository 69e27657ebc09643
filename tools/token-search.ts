/**
 * Searches for tokens what a test's servers kept and said: every row of every schema, every file of the data folder, logs,
 * and what models were asked. Every store is searched when it is dropped, so no test has to remember it.
 *
 * Two kinds are known: ours by their form, and those that the tests' providers issue, which register them here.
 */
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { openPglite } from "../packages/runtime/src/db/open-pglite.ts";

/**
 * Keys, tokens, codes and logins of ours: a word for the kind, perhaps an organisation, 256 random bits. Random bits contain
 * an upper-case letter; long names in other programs' files (`agent_config_imports_1external_…`) do not.
 */
const OURS =
  "(cap|agent|run|access|refresh|code|scim|login|local)_([a-z][a-z0-9-]{1,29}[.])?(?=[a-z0-9_-]{0,42}[A-Z])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])";
/** The embedded store's own files: it is searched by table. */
const STORE = /^db(\/|$)/;

/** Binaries that Copilot unpacks into a home: any bytes are in them. */
const PROGRAMS = /^users\/[^/]+\/\.cache\/copilot\//;
const NONE = /^$/;
const UNKNOWN_DATABASE = "3D000";

const issued = new Set<string>();
const said: string[] = [];
let pattern: RegExp | undefined;

/** Runs a statement with `$1` and so on. */
export type Query = (statement: string, values: readonly unknown[]) => Promise<{ rows: unknown[] }>;

/** A provider of this test gave it away; from now on nobody may keep it in the clear. */
export function noteIssued(...tokens: readonly string[]): void {
  for (const token of tokens) issued.add(token);
  pattern = undefined;
}

/** In the answer of a token endpoint. */
export const tokensIn = (answer: unknown): string[] =>
  ["access_token", "refresh_token", "id_token"].flatMap(
    (name) => (answer as Record<string, string | undefined>)[name] ?? [],
  );

/** Something that was written or sent where no token belongs, such as a log. */
export function noteSaid(where: string, text: string): void {
  if (hasToken(text)) said.push(where);
}

/** What `noteSaid` found since it was last asked. */
export const takeSaid = (): string[] => [...new Set(said.splice(0))];

export function hasToken(text: string): boolean {
  pattern ??= new RegExp([OURS, ...[...issued].map((token) => token.replace(/\W/g, "\\$&"))].join("|"));
  return pattern.test(text);
}

/** Where tokens are in a store whose server has stopped. */
export async function searchStore({ dataDir, url }: { dataDir: string; url?: string }): Promise<string[]> {
  const tables = await (url === undefined ? searchEmbedded(dataDir) : searchPostgres(url));
  return [...tables, ...(existsSync(dataDir) ? searchFiles(dataDir) : []), ...takeSaid()];
}

async function searchPostgres(connectionString: string): Promise<string[]> {
  const client = new pg.Client({ connectionString });
  try {
    await client.connect();
    return await searchTables((statement, values) => client.query(statement, [...values]));
  } catch (error) {
    if ((error as { code?: string }).code === UNKNOWN_DATABASE) return []; // its test dropped it
    throw error;
  } finally {
    await client.end();
  }
}

async function searchEmbedded(dataDir: string): Promise<string[]> {
  const folder = join(dataDir, "db");
  if (!existsSync(join(folder, "PG_VERSION"))) return []; // never opened
  const store = await openPglite(folder).catch(() => undefined);
  if (store === undefined) return searchFiles(folder, NONE); // its test broke it
  try {
    return await searchTables((statement, values) => store.query(statement, [...values]));
  } finally {
    await store.close();
  }
}

/** The tables with a token, of every schema: organisations have their own, and the engine too. */
export async function searchTables(query: Query): Promise<string[]> {
  const tables = (await query(TABLES, [])).rows as { name: string; bytes: string[] }[];
  const counts = tables.map(({ name, bytes }) => {
    const text = ["t::text", ...bytes.map((column) => `coalesce(encode(t.${column}, 'escape'), '')`)];
    return `select '${name.replaceAll("'", "''")}' as name where exists (select from ${name} t, lateral (select ${text.join(" || ")} as text) row
      where row.text ~ $1 or exists (select from unnest($2::text[]) token where strpos(row.text, token) > 0))`;
  });
  if (counts.length === 0) return [];
  const { rows } = await query(counts.join(" union all "), [OURS, [...issued]]);
  return (rows as { name: string }[]).map(({ name }) => `table ${name}`);
}

/** With the columns of bytes, whose text form is hexadecimal. */
const TABLES = `select format('%I.%I', n.nspname, c.relname) as name,
    array(select format('%I', attname)::text from pg_attribute
      where attrelid = c.oid and atttypid = 'bytea'::regtype and not attisdropped) as bytes
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)'
  order by 1`;

export function searchFiles(dataDir: string, besides = STORE): string[] {
  return readdirSync(dataDir, { recursive: true, encoding: "utf8" })
    .filter((name) => !besides.test(name) && !PROGRAMS.test(name) && hasToken(textOf(join(dataDir, name))))
    .map((name) => `file ${name}`);
}

function textOf(path: string): string {
  const isFile = lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  return isFile ? readFileSync(path, "latin1") : "";
}
