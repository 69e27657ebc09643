/** The data folder as backup entries, without process state and files that can be regenerated. */
import { createReadStream } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { AUDIT_HEAD_FILE } from "../users/audit-anchors.ts";
import type { FolderEntry } from "./backup-format.ts";

const PART_BYTES = 1024 * 1024;

/** `db` is read as rows; the others are locks, heartbeats, logs, the newest hash of the audit log, and working copies of session files. */
export const LEFT_OUT = new Set([
  "db",
  "capstan.pid",
  AUDIT_HEAD_FILE, // a restored audit log ends earlier
  `${AUDIT_HEAD_FILE}.new`,
  "owner-token",
  "server.log",
  "work",
  "rt_triggers/_managers",
]);

/** Also in the folder of an organisation, which has the same entries. */
const isLeftOut = (path: string): boolean => LEFT_OUT.has(path.replace(/^organisations\/[^/]+\//, ""));

/** `except`: absolute paths of files that do not belong to the folder, such as the backup itself. */
export async function* packFolder(root: string, except: readonly string[]): AsyncGenerator<FolderEntry> {
  const paths = async function* (folder: string): AsyncGenerator<string> {
    const names = await readdir(join(root, folder)).catch(() => [] as string[]);
    for (const name of names.sort()) {
      const path = folder === "" ? name : `${folder}/${name}`;
      if (isLeftOut(path) || except.includes(resolve(root, path))) continue;
      yield path;
      if ((await lstat(join(root, path)).catch(() => undefined))?.isDirectory()) yield* paths(path);
    }
  };
  for await (const path of paths("")) yield* entriesOf(root, path);
}

/** A running server may delete a file while we read: then it is skipped. */
async function* entriesOf(root: string, path: string): AsyncGenerator<FolderEntry> {
  const place = join(root, path);
  const about = await lstat(place).catch(() => undefined);
  if (!about) return;
  const owner = { mode: about.mode & 0o7777, uid: about.uid, gid: about.gid };
  if (about.isDirectory()) yield { is: "folder", path, ...owner };
  else if (about.isSymbolicLink()) yield { is: "link", path, target: await readlink(place) };
  else if (about.isFile()) {
    yield { is: "file", path, changed_ms: about.mtimeMs, ...owner };
    for await (const bytes of createReadStream(place, { highWaterMark: PART_BYTES })) {
      yield { is: "part", base64: (bytes as Buffer).toString("base64") };
    }
  }
}
