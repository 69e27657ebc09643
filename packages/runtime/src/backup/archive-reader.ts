/**
 * Reads a backup file: once from end to end to verify that it is complete and unchanged, then again for its content.
 * Twice, because a fault at the end must be found before half of it has been written somewhere.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { fail, ok, type Result } from "@capstan/core";
import {
  BACKUP_FORMAT_OF_SEVERAL,
  type BackupEnd,
  type BackupHeader,
  BackupLine,
  KNOWN_FORMATS,
} from "./backup-format.ts";

const NEWLINE = 0x0a;
const LONGEST_LINE_BYTES = 1024 * 1024 * 1024; // a row with a package's archive in hex; a longer line is not from a Capstan backup

export interface CheckedArchive {
  readonly header: BackupHeader;
  readonly end: BackupEnd;
  /** All lines between the first and the last. */
  lines(): AsyncGenerator<BackupLine>;
}

export async function openArchive(path: string): Promise<Result<CheckedArchive>> {
  try {
    const { first, last, count, sha256 } = await survey(path);
    const unreadable = (why: string) => fail("backup_unreadable", { path, why });
    const header = parse(first);
    if (header?.is !== "capstan-backup") return unreadable("it does not start like one");
    if (!KNOWN_FORMATS.includes(header.format)) {
      const { format, version } = header;
      return fail("backup_other_format", { path, format, known: BACKUP_FORMAT_OF_SEVERAL, version });
    }
    const end = parse(last);
    if (end?.is !== "end") return unreadable("its end is missing");
    if (end.lines !== count || end.sha256 !== sha256) return unreadable("its checksum does not match");
    return ok({ header, end, lines: () => contents(path) });
  } catch (error) {
    return fail("backup_unreadable", { path, why: error instanceof Error ? error.message : String(error) });
  }
}

async function survey(path: string) {
  const hash = createHash("sha256");
  let first: Buffer | undefined;
  let last: Buffer | undefined;
  let count = 0;
  for await (const line of rawLines(path)) {
    if (last) {
      hash.update(last).update("\n");
      count++;
    }
    first ??= line;
    last = line;
  }
  return { first, last, count, sha256: hash.digest("hex") };
}

async function* contents(path: string): AsyncGenerator<BackupLine> {
  for await (const line of rawLines(path)) {
    const read = BackupLine.parse(JSON.parse(line.toString("utf8")));
    if (read.is !== "capstan-backup" && read.is !== "end") yield read;
  }
}

async function* rawLines(path: string): AsyncGenerator<Buffer> {
  const file = createReadStream(path);
  const unpacked = createGunzip();
  file.once("error", (error) => unpacked.destroy(error));
  let kept: Buffer[] = [];
  let keptBytes = 0;
  for await (const chunk of file.pipe(unpacked) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...kept, chunk.subarray(from, at)]);
      kept = [];
      keptBytes = 0;
      from = at + 1;
    }
    kept.push(chunk.subarray(from));
    keptBytes += chunk.length - from;
    if (keptBytes > LONGEST_LINE_BYTES) throw new Error("one of its lines is too long");
  }
  if (keptBytes > 0) throw new Error("it ends in the middle of a line");
}

function parse(line: Buffer | undefined): BackupLine | undefined {
  try {
    const read = BackupLine.safeParse(JSON.parse(line?.toString("utf8") ?? ""));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}
