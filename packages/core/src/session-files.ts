/** The session's virtual file system, as tools see it. The store behind it is in runtime. */
import type { Result } from "./result.ts";

export interface FileStat {
  path: string;
  name: string;
  isDirectory: boolean;
  isReadonly: boolean;
  sizeBytes: number;
  createdAt: Date;
  updatedAt: Date;
}

export interface GrepMatch {
  path: string;
  line: number;
  text: string;
}

/** The matching lines of one file, in order, at most `limit`; none if the file is not text. */
export type LineFinder = (content: Uint8Array, limit: number) => Omit<GrepMatch, "path">[];

/** Compiles a pattern for a linear-time matcher; passed in, because core has none. */
export type CompileGrep = (pattern: string) => Result<LineFinder>;

/** Limits a store enforces before it writes. */
export interface FileLimits {
  readonly fileBytes: number;
  readonly sessionBytes: number;
}

export interface SessionFileStore {
  read(path: string): Promise<Result<Uint8Array>>;
  write(
    path: string,
    content: Uint8Array,
    options?: { readonly?: boolean },
  ): Promise<Result<{ stat: FileStat; created: boolean }>>;
  list(path: string): Promise<Result<FileStat[]>>;
  stat(path: string): Promise<Result<FileStat | undefined>>;
  delete(path: string, options?: { recursive?: boolean }): Promise<Result<{ deleted: number }>>;
  grep(
    pattern: string,
    options?: { pathPattern?: string; limit?: number },
  ): Promise<Result<{ matches: GrepMatch[]; truncated: boolean }>>;
  /** Every file with its content, for mounting. */
  all(): Promise<Result<Map<string, Uint8Array>>>;
}
