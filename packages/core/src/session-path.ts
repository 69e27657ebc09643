/**
 * Paths inside a session. Every store passes every path through `normalisePath`, so each file has exactly one spelling
 * and no spelling reaches another session. `..` is refused and never resolved: a path that needs it is a
 * mistake or an attack. Percent signs are plain characters here; nothing is decoded.
 */
import { fail } from "./failures/fail.ts";
import { ok, type Result } from "./result.ts";

const MAX_NAME_BYTES = 255; // the limit of file systems, so that a session can be mounted and unpacked
const MAX_PATH_BYTES = 1024; // Postgres indexes at most 2,704 bytes; a session id and this fit
const MAX_DEPTH = 64; // parents are created on write: one call must not create hundreds of directories
const SHOWN_CHARS = 200;

/** The normalised session path: absolute, `/` between names, no empty, `.` or `..` parts, Unicode NFC. */
export function normalisePath(path: string): Result<string> {
  const why = spellingFault(path);
  if (why) return refuse(path, why);
  const names = path
    .normalize("NFC")
    .split("/")
    .filter((name) => name !== "" && name !== ".");
  if (names.length > MAX_DEPTH) return refuse(path, `it is deeper than ${MAX_DEPTH} directories`);
  for (const name of names) {
    if (name === "..") return refuse(path, "'..' is not allowed");
    if (utf8Length(name) > MAX_NAME_BYTES)
      return refuse(path, `a name is longer than ${MAX_NAME_BYTES} bytes`);
  }
  const normal = `/${names.join("/")}`;
  if (utf8Length(normal) > MAX_PATH_BYTES) return refuse(path, `it is longer than ${MAX_PATH_BYTES} bytes`);
  return ok(normal);
}

/** The directory of a normalised path; the root's is itself. */
export function parentPath(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** The last name of a normalised path; the root's is `/`. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1) || "/";
}

/** Every directory above a normalised path, outermost first, without the root: `/a/b/c` gives `/a`, `/a/b`. */
export function parentPaths(path: string): string[] {
  const parents: string[] = [];
  for (let at = path.indexOf("/", 1); at !== -1; at = path.indexOf("/", at + 1))
    parents.push(path.slice(0, at));
  return parents;
}

function spellingFault(path: string): string | undefined {
  if (path.length > 4 * MAX_PATH_BYTES) return `it is longer than ${MAX_PATH_BYTES} bytes`;
  if (path.includes("\0")) return "it contains a NUL character";
  // A backslash separates directories on Windows, where a mounted `a\..\..\b` would leave the session.
  if (path.includes("\\")) return "directories are separated by '/', not by a backslash";
  if (/\p{Cc}/u.test(path)) return "it contains a control character";
  if (!path.isWellFormed()) return "it contains half of a surrogate pair";
  return undefined;
}

function refuse(path: string, why: string): Result<never> {
  // Shown to models and logs: without control characters, and short.
  const shown = path
    .slice(0, SHOWN_CHARS)
    .toWellFormed()
    .replace(/\p{Cc}/gu, "\u{FFFD}");
  return fail("path_invalid", { path: shown.length < path.length ? `${shown}...` : shown, why });
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}
