/**
 * The position where the audit log ended, stored outside the log: a chain whose last rows are cut off is still valid.
 * Signed, in the database for every process, and in the data folder, where the owner of the database cannot restore
 * an older one.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { eq, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { auditLog, serverSettings } from "../db/schema/user-tables.ts";
import { derivedKey } from "./secret-box.ts";

export type AuditOrm = Pick<Database["orm"], "select" | "insert">;

export interface AuditAnchor {
  readonly id: number;
  readonly hash: string;
}

export interface AuditAnchors {
  /** A known end of the log that is missing, and why; undefined if all are present. */
  findCut(orm: AuditOrm): Promise<{ id: number; why: string } | undefined>;
  /** In the transaction that adds the row. */
  sign(orm: AuditOrm, anchor: AuditAnchor): Promise<void>;
  /** After it. */
  remember(anchor: AuditAnchor): Promise<void>;
}

export interface AnchorPlaces {
  readonly secret: string;
  readonly dataDir: string;
}

const SETTING = "audit_head";
export const AUDIT_HEAD_FILE = "audit-head";

export function auditAnchors({ secret, dataDir }: AnchorPlaces): AuditAnchors {
  const key = derivedKey(secret, "audit head");
  const file = join(dataDir, AUDIT_HEAD_FILE);
  const signatureOf = ({ id, hash }: AuditAnchor) =>
    createHmac("sha256", key).update(`${id} ${hash}`).digest();
  const isSigned = (anchor: AuditAnchor, signature: unknown) => {
    const given = Buffer.from(String(signature), "hex");
    const wanted = signatureOf(anchor);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  };
  let known: Promise<AuditAnchor | undefined> | undefined;
  let written = Promise.resolve();
  return {
    async findCut(orm) {
      const [row] = await orm.select().from(serverSettings).where(eq(serverSettings.name, SETTING));
      const signed = row && anchorIn(row.value);
      if (row && !(signed && isSigned(signed, (row.value as { signature?: unknown }).signature)))
        return { id: signed?.id ?? 0, why: "the signature of its end is not the server's" };
      known ??= readAnchor(file);
      for (const anchor of [signed, await known]) {
        if (anchor === undefined || (await isThere(orm, anchor))) continue;
        return { id: anchor.id, why: "the log was cut: this row and what followed it are gone" };
      }
      return undefined;
    },
    async sign(orm, anchor) {
      const value = { ...anchor, signature: signatureOf(anchor).toString("hex") };
      const set = { value, updatedBy: "capstan", updatedAt: sql`now()` };
      await orm
        .insert(serverSettings)
        .values({ name: SETTING, value, updatedBy: "capstan" })
        .onConflictDoUpdate({ target: serverSettings.name, set });
    },
    remember(anchor) {
      known = Promise.resolve(anchor);
      written = written.then(() => writeAnchor(file, anchor)).catch(() => {}); // full disk: the signed one remains
      return written;
    },
  };
}

async function isThere(orm: AuditOrm, { id, hash }: AuditAnchor): Promise<boolean> {
  const [row] = await orm.select({ hash: auditLog.hash }).from(auditLog).where(eq(auditLog.id, id));
  return row?.hash === hash;
}

async function readAnchor(file: string): Promise<AuditAnchor | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const [, id, hash] = /^(\d{1,15}) ([0-9a-f]{64})\n$/.exec(text) ?? [];
  return { id: Number(id ?? 0), hash: hash ?? "" }; // an unreadable file matches no row
}

async function writeAnchor(file: string, { id, hash }: AuditAnchor): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.new`, `${id} ${hash}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

function anchorIn(value: unknown): AuditAnchor | undefined {
  const { id, hash } = (value ?? {}) as { id?: unknown; hash?: unknown };
  return typeof id === "number" && typeof hash === "string" ? { id, hash } : undefined;
}
