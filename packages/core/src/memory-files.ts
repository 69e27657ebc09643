/**
 * A session's files in memory: for tests, examples and programs without a server. It gives the same guarantees as the
 * store in Postgres; `runtime/src/files/file-store-contract.ts` runs against both.
 * Core has no linear-time matcher, so `grep` works once a `compile` function is given.
 */
import { fail } from "./failures/fail.ts";
import { pathPattern } from "./path-pattern.ts";
import { ok, type Result } from "./result.ts";
import type { CompileGrep, FileLimits, FileStat, GrepMatch, SessionFileStore } from "./session-files.ts";
import { baseName, normalisePath, parentPath, parentPaths } from "./session-path.ts";

export const DEFAULT_FILE_LIMITS: FileLimits = {
  fileBytes: 10 * 1024 * 1024,
  sessionBytes: 500 * 1024 * 1024,
};
export const DEFAULT_GREP_LIMIT = 1_000; // matches; a model reads fewer, a person pages

export interface MemoryFileOptions {
  compile?: CompileGrep;
  limits?: Partial<FileLimits>;
  now?: () => Date;
}

interface Entry {
  /** Undefined for a directory. */
  content?: Uint8Array;
  isReadonly: boolean;
  createdAt: Date;
  updatedAt: Date;
}

export function memoryFileStore(options: MemoryFileOptions = {}): SessionFileStore {
  const tree = new FileTree(options);
  const at = <T>(path: string, use: (normal: string) => Result<T>): Promise<Result<T>> => {
    const normal = normalisePath(path);
    return Promise.resolve(normal.ok ? use(normal.value) : normal);
  };
  return {
    read: (path) => at(path, (normal) => tree.read(normal)),
    write: (path, content, { readonly = false } = {}) =>
      at(path, (normal) => tree.write(normal, content, readonly)),
    list: (path) => at(path, (normal) => tree.list(normal)),
    stat: (path) => at(path, (normal) => ok(tree.stat(normal))),
    delete: (path, { recursive = false } = {}) => at(path, (normal) => tree.delete(normal, recursive)),
    grep: async (pattern, { pathPattern: glob = "*", limit = DEFAULT_GREP_LIMIT } = {}) =>
      tree.grep(pattern, glob, limit),
    all: async () => ok(tree.all()),
  };
}

class FileTree {
  private readonly entries = new Map<string, Entry>();
  private readonly limits: FileLimits;
  private readonly now: () => Date;
  private readonly compile: CompileGrep;
  private totalBytes = 0;

  constructor({ compile = noMatcher, limits, now = () => new Date() }: MemoryFileOptions) {
    this.limits = { ...DEFAULT_FILE_LIMITS, ...limits };
    this.now = now;
    this.compile = compile;
    this.entries.set("/", this.newEntry());
  }

  read(path: string): Result<Uint8Array> {
    const entry = this.entries.get(path);
    if (!entry) return fail("file_not_found", { path });
    if (!entry.content) return fail("file_is_directory", { path });
    return ok(new Uint8Array(entry.content));
  }

  write(path: string, content: Uint8Array, readonly: boolean): Result<{ stat: FileStat; created: boolean }> {
    const before = this.entries.get(path);
    const refusal = this.refuseWrite(path, before, content.length);
    if (refusal) return refusal;
    for (const parent of parentPaths(path)) {
      if (!this.entries.has(parent)) this.entries.set(parent, this.newEntry());
    }
    this.totalBytes += content.length - (before?.content?.length ?? 0);
    const entry = this.newEntry();
    const createdAt = before?.createdAt ?? entry.createdAt;
    this.entries.set(path, { ...entry, createdAt, content: new Uint8Array(content), isReadonly: readonly });
    const stat = this.stat(path) as FileStat; // it was set in the line above
    return ok({ stat, created: !before });
  }

  list(path: string): Result<FileStat[]> {
    const entry = this.entries.get(path);
    if (!entry) return fail("file_not_found", { path });
    if (entry.content) return fail("file_not_directory", { path });
    const inside = [...this.entries.keys()].filter((other) => other !== "/" && parentPath(other) === path);
    return ok(inside.sort().flatMap((other) => this.stat(other) ?? []));
  }

  stat(path: string): FileStat | undefined {
    const entry = this.entries.get(path);
    if (!entry) return undefined;
    const { content, isReadonly, createdAt, updatedAt } = entry;
    const sizeBytes = content?.length ?? 0;
    return { path, name: baseName(path), isDirectory: !content, isReadonly, sizeBytes, createdAt, updatedAt };
  }

  /** All or nothing: one read-only file inside keeps everything. */
  delete(path: string, recursive: boolean): Result<{ deleted: number }> {
    const entry = this.entries.get(path);
    if (!entry) return fail("file_not_found", { path });
    const below = path === "/" ? "/" : `${path}/`;
    const inside = [...this.entries.keys()].filter((other) => other !== "/" && other.startsWith(below));
    if (inside.length > 0 && !recursive) return fail("directory_not_empty", { path });
    const doomed = path === "/" ? inside : [path, ...inside];
    const kept = doomed.find((other) => this.entries.get(other)?.isReadonly);
    if (kept) return fail("file_readonly", { path: kept });
    for (const other of doomed) {
      this.totalBytes -= this.entries.get(other)?.content?.length ?? 0;
      this.entries.delete(other);
    }
    return ok({ deleted: doomed.length });
  }

  grep(pattern: string, glob: string, limit: number): Result<{ matches: GrepMatch[]; truncated: boolean }> {
    const finder = this.compile(pattern);
    if (!finder.ok) return finder;
    const wanted = pathPattern(glob);
    if (!wanted.ok) return wanted;
    const matches: GrepMatch[] = [];
    for (const [path, content] of this.files()) {
      if (!wanted.value(path)) continue;
      // One more than requested, to detect whether something was left out.
      for (const found of finder.value(content, limit + 1 - matches.length)) matches.push({ path, ...found });
      if (matches.length > limit) return ok({ matches: matches.slice(0, limit), truncated: true });
    }
    return ok({ matches, truncated: false });
  }

  all(): Map<string, Uint8Array> {
    return new Map(this.files().map(([path, content]) => [path, new Uint8Array(content)]));
  }

  /** Sorted by path; contents are the stored ones, not copies. */
  private files(): [path: string, content: Uint8Array][] {
    const files = [...this.entries].flatMap(([path, { content }]): [string, Uint8Array][] =>
      content ? [[path, content]] : [],
    );
    return files.sort(([a], [b]) => (a < b ? -1 : 1));
  }

  private refuseWrite(path: string, before: Entry | undefined, sizeBytes: number): Result<never> | undefined {
    if (before && !before.content) return fail("file_is_directory", { path });
    if (before?.isReadonly) return fail("file_readonly", { path });
    const fileParent = parentPaths(path).find((parent) => this.entries.get(parent)?.content);
    if (fileParent) return fail("file_not_directory", { path: fileParent });
    const { fileBytes, sessionBytes } = this.limits;
    if (sizeBytes > fileBytes) return fail("file_too_large", { path, sizeBytes, limitBytes: fileBytes });
    const total = this.totalBytes + sizeBytes - (before?.content?.length ?? 0);
    if (total > sessionBytes) return fail("session_full", { sizeBytes: total, limitBytes: sessionBytes });
    return undefined;
  }

  private newEntry(): Entry {
    const now = this.now();
    return { isReadonly: false, createdAt: now, updatedAt: now };
  }
}

const noMatcher: CompileGrep = () =>
  fail("not_available", {
    what: "Searching in files",
    why: "the store was created without a pattern matcher",
    nextStep: "Pass `compile` to memoryFileStore.",
  });
