/** UUIDs: validating external ones, and deriving one from a text. */
import { createHash } from "node:crypto";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Validate external ids with this: Postgres rejects a statement with an invalid one. */
export const isUuid = (text: string): boolean => UUID.test(text);

/** The same text gives the same UUID. Version 8 is for custom ids; 4 where readers insist on it. */
export function uuidFrom(text: string, version: 4 | 8 = 8): string {
  const hex = createHash("sha256").update(text).digest("hex");
  const [a, b, c, d, e] = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(13, 16),
    hex.slice(17, 20),
    hex.slice(20, 32),
  ];
  return `${a}-${b}-${version}${c}-a${d}-${e}`;
}

/** The smallest version 7 UUID of a time. */
export function firstIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}
