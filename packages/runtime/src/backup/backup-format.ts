/**
 * The backup file format: gzipped lines of JSON, so that `zcat` shows the content and nothing has to be held in memory whole.
 * The first line identifies it, the last one has the number and the SHA-256 of all lines before it.
 *
 * Values are in Postgres's text form: exact on both stores, for every type.
 */
import { z } from "zod";

export const BACKUP_FORMAT = 1;
/** Contains further organisations: a version that does not know them must not merge their rows into one. */
export const BACKUP_FORMAT_OF_SEVERAL = 2;
export const KNOWN_FORMATS: readonly number[] = [BACKUP_FORMAT, BACKUP_FORMAT_OF_SEVERAL];

const Owner = { mode: z.int().min(0), uid: z.int().min(0), gid: z.int().min(0) };

export const BackupHeader = z.object({
  is: z.literal("capstan-backup"),
  format: z.int(),
  /** The version of Capstan that wrote it. */
  version: z.string(),
  made_at: z.string(),
  store: z.enum(["pglite", "postgres"]),
  /** Such as `linux-x64`: unpacked packages contain programs for one platform. */
  platform: z.string(),
  /** Hashes of the migrations applied to the store. */
  schema: z.array(z.string()),
  organisations: z.array(z.object({ id: z.string(), migrated_to: z.string() })).default([]),
});
export type BackupHeader = z.infer<typeof BackupHeader>;

const Rows = z.object({
  is: z.literal("rows"),
  table: z.string(),
  /** Absent: the first organisation. */
  organisation: z.string().optional(),
  columns: z.array(z.string()),
  rows: z.array(z.array(z.string().nullable())),
});
export interface TableRows {
  readonly table: string;
  readonly organisation?: string | undefined;
  readonly columns: string[];
  readonly rows: (string | null)[][];
}

const Entry = z.discriminatedUnion("is", [
  z.object({ is: z.literal("folder"), path: z.string(), ...Owner }),
  z.object({ is: z.literal("link"), path: z.string(), target: z.string() }),
  z.object({ is: z.literal("file"), path: z.string(), changed_ms: z.number(), ...Owner }),
  /** A part of the most recently named file. */
  z.object({ is: z.literal("part"), base64: z.string() }),
]);
/** An entry of the data folder; a file is followed by its parts. */
export type FolderEntry = z.infer<typeof Entry>;

const End = z.object({
  is: z.literal("end"),
  lines: z.int(),
  sha256: z.string(),
  rows: z.record(z.string(), z.int()),
  files: z.int(),
});
export type BackupEnd = z.infer<typeof End>;

export const BackupLine = z.discriminatedUnion("is", [BackupHeader, Rows, ...Entry.options, End]);
export type BackupLine = z.infer<typeof BackupLine>;
