/**
 * A session's files plus a generated, read-only one at the root. It is generated when it is read, so it is never
 * stale, on any process.
 */
import { type FileStat, fail, ok, type SessionFileStore } from "@capstan/core";
import {
  baseName,
  type CompileGrep,
  DEFAULT_GREP_LIMIT,
  normalisePath,
  pathPattern,
} from "@capstan/core/internal";

export interface MadeFile {
  /** A path directly below the root. */
  readonly path: string;
  /** Its content and modification time; undefined = the file does not exist now. */
  make(): Promise<{ text: string; since: Date } | undefined>;
  readonly compile: CompileGrep;
}

export function withMadeFile(files: SessionFileStore, made: MadeFile): SessionFileStore {
  const isMade = (path: string): boolean => {
    const normal = normalisePath(path);
    return normal.ok && normal.value === made.path;
  };
  const isBelow = (path: string): boolean => {
    const normal = normalisePath(path);
    return normal.ok && normal.value.startsWith(`${made.path}/`);
  };
  const refusal = () => fail("file_readonly", { path: made.path });
  return {
    async read(path) {
      if (!isMade(path)) return files.read(path);
      const content = await made.make();
      return content ? ok(bytesOf(content.text)) : fail("file_not_found", { path: made.path });
    },
    async stat(path) {
      return isMade(path) ? ok(statOf(made.path, await made.make())) : files.stat(path);
    },
    write: async (path, ...rest) => (isMade(path) || isBelow(path) ? refusal() : files.write(path, ...rest)),
    delete: async (path, ...rest) => (isMade(path) ? refusal() : files.delete(path, ...rest)),
    async list(path) {
      const listed = await files.list(path);
      const normal = normalisePath(path);
      if (!listed.ok || !normal.ok || normal.value !== "/") return listed;
      const own = statOf(made.path, await made.make());
      const others = listed.value.filter((each) => each.path !== made.path);
      return ok(own ? [...others, own].sort((a, b) => (a.path < b.path ? -1 : 1)) : others);
    },
    async all() {
      const all = await files.all();
      const content = all.ok ? await made.make() : undefined;
      return all.ok && content ? ok(new Map([...all.value, [made.path, bytesOf(content.text)]])) : all;
    },
    grep: (pattern, options) => grep(files, made, pattern, options),
  };
}

async function grep(
  files: SessionFileStore,
  made: MadeFile,
  pattern: string,
  options: Parameters<SessionFileStore["grep"]>[1] = {},
): ReturnType<SessionFileStore["grep"]> {
  const found = await files.grep(pattern, options);
  if (!found.ok || found.value.truncated) return found;
  const lines = await linesOf(made, pattern, options.pathPattern ?? "*");
  if (!lines.ok) return lines;
  const matches = [...found.value.matches, ...lines.value];
  const limit = options.limit ?? DEFAULT_GREP_LIMIT;
  return ok({ matches: matches.slice(0, limit), truncated: matches.length > limit });
}

async function linesOf({ path, compile, make }: MadeFile, pattern: string, glob: string) {
  const wanted = pathPattern(glob);
  if (!wanted.ok) return wanted;
  const content = wanted.value(path) ? await make() : undefined;
  if (!content) return ok([]);
  const find = compile(pattern);
  if (!find.ok) return find;
  const lines = find.value(bytesOf(content.text), Number.MAX_SAFE_INTEGER);
  return ok(lines.map((line) => ({ path, ...line })));
}

function statOf(path: string, content: { text: string; since: Date } | undefined): FileStat | undefined {
  return (
    content && {
      path,
      name: baseName(path),
      isDirectory: false,
      isReadonly: true,
      sizeBytes: bytesOf(content.text).length,
      createdAt: content.since,
      updatedAt: content.since,
    }
  );
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
