/**
 * session_file_system: six tools for the session's own files. Paths, limits and isolation are handled by the store
 * (`context.fileStore`); this file converts content to what a model can read: text, or base64 if it is not text.
 */
import {
  defineCapability,
  defineTool,
  type FileStat,
  fail,
  ok,
  type Result,
  type SessionFileStore,
} from "@capstan/core";
import { z } from "zod";
import { CAPABILITY_IDS } from "../capability-ids.ts";

const MAX_MATCHES = 200; // more lines than a model reads; it is asked to narrow the pattern

const onePath = z.string().min(1); // "" would be the root: a cleared form field must not delete everything
const encoding = z.enum(["text", "base64"]);
const metadata = {
  is_directory: z.boolean(),
  is_readonly: z.boolean(),
  size_bytes: z.int(),
};

const readFile = defineTool({
  name: "read_file",
  readsFiles: true,
  risk: "read",
  description: "Read file content by path. Content that is not UTF-8 text comes as base64.",
  input: z.object({ path: onePath.describe("Absolute path to the file (e.g., '/docs/readme.txt')") }),
  output: z.object({ path: z.string(), content: z.string(), encoding, size_bytes: z.int() }),
  requiresContext: true,
  idempotent: true,
  run: ({ path }, { fileStore }) =>
    withStore("read_file", fileStore, async (store) => {
      const stat = await statOf(store, path);
      if (!stat.ok) return stat;
      const bytes = await store.read(stat.value.path);
      if (!bytes.ok) return bytes;
      return ok({ path: stat.value.path, ...readable(bytes.value), size_bytes: bytes.value.length });
    }),
});

const writeFile = defineTool({
  name: "write_file",
  risk: "write",
  writes: "internal",
  description: "Create or update a file. Missing parent directories are created.",
  input: z.object({
    path: onePath.describe("Absolute path for the file (e.g., '/docs/readme.txt')"),
    content: z.string().describe("Content to write"),
    encoding: encoding.default("text").describe("Content encoding: text, or base64 for binary files"),
  }),
  output: z.object({ path: z.string(), size_bytes: z.int(), created: z.boolean() }),
  requiresContext: true,
  idempotent: true,
  run: ({ path, content, encoding }, { fileStore }) =>
    withStore("write_file", fileStore, async (store) => {
      const bytes = encoding === "text" ? new TextEncoder().encode(content) : fromBase64(content);
      if (!bytes) return fail("content_not_base64", { path });
      const written = await store.write(path, bytes);
      if (!written.ok) return written;
      const { stat, created } = written.value;
      return ok({ path: stat.path, size_bytes: stat.sizeBytes, created });
    }),
});

const listDirectory = defineTool({
  name: "list_directory",
  risk: "read",
  description: "List files and directories at a path.",
  input: z.object({ path: z.string().default("/").describe("Directory path to list, defaults to root '/'") }),
  output: z.object({
    path: z.string(),
    entries: z.array(
      z.object({
        name: z.string(),
        path: z.string(),
        ...metadata,
        created_at: z.iso.datetime(),
        updated_at: z.iso.datetime(),
      }),
    ),
    count: z.int(),
  }),
  requiresContext: true,
  idempotent: true,
  run: ({ path }, { fileStore }) =>
    withStore("list_directory", fileStore, async (store) => {
      const stat = await statOf(store, path);
      if (!stat.ok) return stat;
      const listed = await store.list(stat.value.path);
      if (!listed.ok) return listed;
      const entries = listed.value.map((entry) => ({ name: entry.name, path: entry.path, ...facts(entry) }));
      return ok({ path: stat.value.path, entries, count: entries.length });
    }),
});

const grepFiles = defineTool({
  name: "grep_files",
  risk: "read",
  description: "Search file contents using regex (RE2 syntax), line by line.",
  input: z.object({
    pattern: z.string().min(1).describe("Regex pattern to search for"),
    path_pattern: z
      .string()
      .min(1)
      .optional()
      .describe("Optional path pattern filter (e.g., '*.txt', '/src/**/*.ts')"),
  }),
  output: z.object({
    pattern: z.string(),
    matches: z.array(z.object({ path: z.string(), line_number: z.int(), line: z.string() })),
    match_count: z.int(),
    truncated: z.boolean(),
  }),
  requiresContext: true,
  idempotent: true,
  run: ({ pattern, path_pattern: pathPattern }, { fileStore }) =>
    withStore("grep_files", fileStore, async (store) => {
      const found = await store.grep(pattern, { ...(pathPattern && { pathPattern }), limit: MAX_MATCHES });
      if (!found.ok) return found;
      const { truncated } = found.value;
      const matches = found.value.matches.map(({ path, line, text }) => ({
        path,
        line_number: line,
        line: text,
      }));
      return ok({ pattern, matches, match_count: matches.length, truncated });
    }),
});

const deleteFile = defineTool({
  name: "delete_file",
  risk: "irreversible",
  writes: ["internal", "irreversible"],
  description: "Delete a file or directory.",
  input: z.object({
    path: onePath.describe("Path to file or directory"),
    recursive: z
      .boolean()
      .default(false)
      .describe("If true, delete directories recursively, defaults to false"),
  }),
  output: z.object({ path: z.string(), deleted: z.boolean(), deleted_count: z.int() }),
  requiresContext: true,
  idempotent: true,
  run: ({ path, recursive }, { fileStore }) =>
    withStore("delete_file", fileStore, async (store) => {
      const stat = await store.stat(path);
      if (!stat.ok) return stat;
      // The retry of an interrupted call finds nothing left to delete, which is not an error.
      if (!stat.value) return ok({ path, deleted: false, deleted_count: 0 });
      const removed = await store.delete(stat.value.path, { recursive });
      if (!removed.ok) return removed;
      return ok({ path: stat.value.path, deleted: true, deleted_count: removed.value.deleted });
    }),
});

const statFile = defineTool({
  name: "stat_file",
  risk: "read",
  description: "Get file or directory metadata. A path that does not exist answers exists: false.",
  input: z.object({ path: onePath.describe("Path to the file or directory") }),
  output: z.object({
    path: z.string(),
    name: z.string(),
    exists: z.boolean(),
    ...metadata,
    created_at: z.iso.datetime().nullable(),
    updated_at: z.iso.datetime().nullable(),
  }),
  requiresContext: true,
  idempotent: true,
  run: ({ path }, { fileStore }) =>
    withStore("stat_file", fileStore, async (store) => {
      const stat = await store.stat(path);
      if (!stat.ok) return stat;
      if (!stat.value) return ok({ path, name: path.split("/").at(-1) || path, exists: false, ...NOTHING });
      return ok({ path: stat.value.path, name: stat.value.name, exists: true, ...facts(stat.value) });
    }),
});

const PROMPT = `You have a file system of your own for this session. Other sessions cannot see it, and it stays until the session ends.

Explore before you act:
- list_directory shows one directory, grep_files searches the content of all files, stat_file tells whether a path exists.
- Read a file before you change it, so that nothing in it is lost: write_file replaces the whole content.

Work with files:
- Paths are absolute, such as /docs/readme.txt. '..' is not allowed.
- write_file creates missing parent directories; there is no need to make them first.
- Text is read and written as it is. Binary files use base64: read_file says so in encoding.
- Files marked is_readonly can be read and neither changed nor deleted: write your version to another path.
- delete_file removes a directory with content only with recursive: true. Make sure that is meant.
- Put long results into files, and tell the user the path.`;

export const sessionFileSystem = defineCapability({
  id: CAPABILITY_IDS.FILE_SYSTEM,
  name: "File System",
  description: "Tools to access and manipulate files in the session file system.",
  icon: "folder",
  category: "File Operations",
  systemPrompt: PROMPT,
  tools: [readFile, writeFile, listDirectory, grepFiles, deleteFile, statFile],
  routing: {
    triggers: [
      "read the file",
      "write a file",
      "save this to a file",
      "list the files",
      "search in the files",
      "delete the file",
      "what is in the directory",
      "find a word in my files",
      "save a note",
    ],
    tags: ["file", "files", "directory", "folder", "path", "grep", "save", "document"],
    domain: "files",
    actions: ["read", "write", "list", "search", "delete", "save"],
  },
});

/** The gate refuses these tools without a session; other callers get the same answer. */
async function withStore<T>(
  tool: string,
  fileStore: SessionFileStore | undefined,
  use: (store: SessionFileStore) => Promise<Result<T>>,
): Promise<Result<T>> {
  return fileStore ? use(fileStore) : fail("session_required", { tool });
}

async function statOf(store: SessionFileStore, path: string): Promise<Result<FileStat>> {
  const stat = await store.stat(path);
  if (!stat.ok) return stat;
  return stat.value ? ok(stat.value) : fail("file_not_found", { path });
}

function facts({ isDirectory, isReadonly, sizeBytes, createdAt, updatedAt }: FileStat) {
  return {
    is_directory: isDirectory,
    is_readonly: isReadonly,
    size_bytes: sizeBytes,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

const NOTHING = {
  is_directory: false,
  is_readonly: false,
  size_bytes: 0,
  created_at: null as string | null,
  updated_at: null as string | null,
};

/** Text with a NUL is valid UTF-8 but cannot be stored in a JSON column, so it counts as binary. */
function readable(bytes: Uint8Array): { content: string; encoding: "text" | "base64" } {
  if (!bytes.includes(0)) {
    try {
      return {
        content: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
        encoding: "text",
      };
    } catch {
      // Not UTF-8.
    }
  }
  return {
    content: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64"),
    encoding: "base64",
  };
}

function fromBase64(content: string): Uint8Array | undefined {
  const compact = content.replace(/\s+/g, "");
  return /^[A-Za-z\d+/_-]*={0,2}$/.test(compact) && compact.replace(/=+$/, "").length % 4 !== 1
    ? Buffer.from(compact, "base64")
    : undefined;
}
