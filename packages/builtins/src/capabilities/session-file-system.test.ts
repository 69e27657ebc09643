import { fail, memoryFileStore, ok, type SessionFileStore } from "@capstan/core";
import type { CompileGrep } from "@capstan/core/internal";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { beforeEach, describe, expect, test } from "vitest";
import { tryTool } from "./fixtures/try-tool.ts";
import { sessionFileSystem } from "./session-file-system.ts";

let fileStore: SessionFileStore;
beforeEach(() => {
  const now = () => new Date("2026-03-01T12:00:00Z");
  fileStore = memoryFileStore({ compile, now, limits: { fileBytes: 1_000 } });
});

describe("session_file_system", () => {
  test("writes, overwrites and reads text", async () => {
    expect(await call("write_file", { path: "/docs/a.txt", content: "Grüße" })).toEqual({
      value: { path: "/docs/a.txt", size_bytes: 7, created: true },
    });
    expect(await call("write_file", { path: "docs/a.txt", content: "new" })).toMatchObject({
      value: { created: false },
    });
    expect(await call("read_file", { path: "/docs/a.txt" })).toEqual({
      value: { path: "/docs/a.txt", content: "new", encoding: "text", size_bytes: 3 },
    });
  });

  test.each([
    ["bytes that are not UTF-8", [0xff, 0xfe, 0x00]],
    ["half a character", [0x61, 0xc3]],
    ["a NUL in text", [0x61, 0x00, 0x62]],
  ])("reads %s as base64", async (_, bytes) => {
    await fileStore.write("/b.bin", Uint8Array.from(bytes));
    expect(await call("read_file", { path: "/b.bin" })).toMatchObject({
      value: { encoding: "base64", content: Buffer.from(bytes).toString("base64"), size_bytes: bytes.length },
    });
  });

  test("whatever is read can be written back unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        await fileStore.write("/a", bytes);
        const { value } = await call("read_file", { path: "/a" });
        const { content, encoding } = value as { content: string; encoding: string };
        await call("write_file", { path: "/b", content, encoding });
        expect(await fileStore.read("/b")).toEqual({ ok: true, value: bytes });
      }),
    );
  });

  test.each(["***", "a", "abcde", "YQ===", "YQ==YQ=="])("refuses %j as base64", async (content) => {
    const result = await call("write_file", { path: "/a", content, encoding: "base64" });
    expect(result.failure?.code).toBe("content_not_base64");
    expect(await call("stat_file", { path: "/a" })).toMatchObject({ value: { exists: false } });
  });

  test("creates parents, and lists the root when no path is given", async () => {
    await call("write_file", { path: "/a/b/c.txt", content: "x" });
    expect(await call("list_directory", {})).toEqual({
      value: {
        path: "/",
        entries: [
          {
            name: "a",
            path: "/a",
            is_directory: true,
            is_readonly: false,
            size_bytes: 0,
            created_at: "2026-03-01T12:00:00.000Z",
            updated_at: "2026-03-01T12:00:00.000Z",
          },
        ],
        count: 1,
      },
    });
    expect(await call("list_directory", { path: "/a/b" })).toMatchObject({
      value: { count: 1, entries: [{ name: "c.txt" }] },
    });
  });

  test("stat works for existing paths, the root, and missing paths", async () => {
    await fileStore.write("/a.txt", new TextEncoder().encode("abc"), { readonly: true });
    expect(await call("stat_file", { path: "a.txt" })).toMatchObject({
      value: {
        path: "/a.txt",
        name: "a.txt",
        exists: true,
        is_directory: false,
        is_readonly: true,
        size_bytes: 3,
        created_at: "2026-03-01T12:00:00.000Z",
        updated_at: "2026-03-01T12:00:00.000Z",
      },
    });
    expect(await call("stat_file", { path: "/" })).toMatchObject({
      value: { exists: true, is_directory: true },
    });
    expect(await call("stat_file", { path: "/no/where.txt" })).toMatchObject({
      value: { path: "/no/where.txt", name: "where.txt", exists: false, created_at: null },
    });
  });

  test("a read-only file can be neither written nor deleted", async () => {
    await fileStore.write("/a.txt", new TextEncoder().encode("abc"), { readonly: true });
    expect((await call("write_file", { path: "/a.txt", content: "x" })).failure?.code).toBe("file_readonly");
    expect((await call("delete_file", { path: "/a.txt" })).failure?.code).toBe("file_readonly");
  });

  test("a directory with content is deleted only with recursive, and deleting twice is not an error", async () => {
    await call("write_file", { path: "/a/b.txt", content: "x" });
    expect((await call("delete_file", { path: "/a" })).failure?.code).toBe("directory_not_empty");
    const recursive = { path: "/a", recursive: true };
    expect(await call("delete_file", recursive)).toEqual({
      value: { path: "/a", deleted: true, deleted_count: 2 },
    });
    expect(await call("delete_file", recursive)).toEqual({
      value: { path: "/a", deleted: false, deleted_count: 0 },
    });
  });

  test("greps with a pattern over the given paths", async () => {
    await call("write_file", { path: "/a.txt", content: "one\ntwo 22\n" });
    await call("write_file", { path: "/b.md", content: "two 33" });
    expect(await call("grep_files", { pattern: "two \\d+", path_pattern: "*.txt" })).toEqual({
      value: {
        pattern: "two \\d+",
        matches: [{ path: "/a.txt", line_number: 2, line: "two 22" }],
        match_count: 1,
        truncated: false,
      },
    });
    expect(await call("grep_files", { pattern: "two" })).toMatchObject({ value: { match_count: 2 } });
    expect((await call("grep_files", { pattern: "(" })).failure?.code).toBe("pattern_invalid");
    await call("write_file", { path: "/many", content: "x\n".repeat(300) });
    expect(await call("grep_files", { pattern: "x" })).toMatchObject({
      value: { match_count: 200, truncated: true },
    });
  });

  test.each([
    ["read_file", { path: "/../etc/passwd" }, "path_invalid"],
    ["write_file", { path: "/a\0", content: "" }, "path_invalid"],
    ["list_directory", { path: "/nowhere" }, "file_not_found"],
    ["read_file", { path: "/nowhere" }, "file_not_found"],
    ["read_file", { path: "/" }, "file_is_directory"],
    ["write_file", { path: "/big", content: "x".repeat(1_001) }, "file_too_large"],
    ["delete_file", { path: "/a/../b" }, "path_invalid"],
    ["stat_file", { path: ".." }, "path_invalid"],
  ])("%s(%j) is refused with %s", async (tool, input, code) => {
    expect((await call(tool, input)).failure?.code).toBe(code);
  });

  test.each(["read_file", "write_file", "delete_file", "stat_file"])(
    "%s does not take an empty path for the root",
    (name) => {
      const tool = sessionFileSystem.tools.find((candidate) => candidate.name === name);
      expect(tool?.input.parse({ path: "", content: "" }).ok).toBe(false);
    },
  );

  test.each([
    "Explore before you act",
    "Read a file before you change it",
    "write_file creates missing parent directories",
    "Paths are absolute",
  ])("the prompt says how to explore and to work with files: %s", (words) => {
    expect(sessionFileSystem.systemPrompt).toContain(words);
  });

  test.each(sessionFileSystem.tools.map((tool) => tool.name))("%s needs a session", async (name) => {
    const tool = sessionFileSystem.tools.find((candidate) => candidate.name === name);
    expect(tool?.requiresContext).toBe(true);
    const fields = { path: "/a", content: "a", pattern: "a" };
    const taken = Object.keys((tool?.input.jsonSchema.properties ?? {}) as object);
    const input = Object.fromEntries(Object.entries(fields).filter(([field]) => taken.includes(field)));
    expect((await tryTool(sessionFileSystem, name, input)).failure?.code).toBe("session_required");
  });
});

const call = (tool: string, input: object) => tryTool(sessionFileSystem, tool, input, { fileStore });

const compile: CompileGrep = (pattern) => {
  try {
    const regex = RE2JS.compile(pattern);
    return ok((content, limit) =>
      new TextDecoder()
        .decode(content)
        .split("\n")
        .map((text, index) => ({ line: index + 1, text }))
        .filter(({ text }) => regex.test(text))
        .slice(0, limit),
    );
  } catch (error) {
    return fail("pattern_invalid", { pattern, why: String(error) });
  }
};
