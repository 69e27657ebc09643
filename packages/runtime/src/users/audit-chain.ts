/** The audit log's hash chain: each row contains the hash of the previous one, so a changed or removed row is detected. */
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

/** The database does not keep key order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}
