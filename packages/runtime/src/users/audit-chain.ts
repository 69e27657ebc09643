/** The audit log's chain: each row holds the hash of the row before it, so a row that is changed or taken out shows. */
import { createHash } from "node:crypto";

export interface ChainedEntry {
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly details: unknown;
  readonly createdAt: Date;
}

export const CHAIN_START = "";

export function chainHash(
  previous: string,
  { actor, action, subject, details, createdAt }: ChainedEntry,
): string {
  const facts = [previous, actor, action, subject, createdAt.toISOString(), sorted(details)];
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}

/** The database keeps no order of keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}
