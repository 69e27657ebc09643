/**
 * What is made from all rows of a table of policies: kept until a row changes. Changes of other processes are announced; because
 * an announcement may be lost, one statement every half second looks whether any row of these tables is another.
 */
import type pg from "pg";
import type { PolicyChanges } from "./policy-changes.ts";

const TABLES = ["rules", "budgets", "text_checks"] as const;
type PolicyTable = (typeof TABLES)[number];

const FRESH_MS = 500;

// xmin is the transaction that wrote a row: every insert, change and deletion gives another sum.
const VERSIONS = `select ${TABLES.map(
  (table) =>
    `(select coalesce(sum(hashtextextended(id::text || xmin::text, 0)), 0)::text from ${table}) as ${table}`,
).join()}`;

type Versions = Readonly<Record<PolicyTable, string>>;
type Pool = Pick<pg.Pool, "query">;

interface Fresh {
  readonly at: number;
  readonly versions: Promise<Versions>;
}

/** One statement for all tables of a store. */
const fresh = new WeakMap<Pool, Fresh>();

function versionsNow(pool: Pool): Promise<Versions> {
  const known = fresh.get(pool);
  if (known && performance.now() - known.at < FRESH_MS) return known.versions;
  const versions = pool.query<Versions>(VERSIONS).then(({ rows }) => rows[0] as Versions);
  fresh.set(pool, { at: performance.now(), versions });
  versions.catch(() => fresh.delete(pool));
  return versions;
}

export interface KeptPolicies<T> {
  get(): Promise<T>;
  /** After a write of this process that is not announced. */
  forget(): void;
}

export function keptPolicies<T>(
  { pool, policyChanges }: { readonly pool: Pool; readonly policyChanges?: PolicyChanges },
  table: PolicyTable,
  load: () => Promise<T>,
): KeptPolicies<T> {
  let kept: { readonly version: string; readonly made: Promise<T> } | undefined;
  const forget = () => void fresh.delete(pool);
  policyChanges?.onChange(forget);
  return {
    forget,
    async get() {
      const { [table]: version } = await versionsNow(pool);
      if (kept?.version === version) return kept.made;
      // Read after the version: rows that are newer than it are only read once more.
      const made = load();
      kept = { version, made };
      made.catch(() => {
        kept = undefined;
      });
      return made;
    },
  };
}
