/**
 * The guarantees of every session file store, as tests: called once for the in-memory store and once for each database.
 * `open` creates a new, empty session; sessions never see each other.
 */
import type { Result, SessionFileStore } from "@capstan/core";
import type { FileLimits } from "@capstan/core/internal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

export type OpenFileStore = (limits?: Partial<FileLimits>) => Promise<SessionFileStore>;

export function fileStoreContract(name: string, open: OpenFileStore): void {
  describe(`${name}: files`, () => {
    writingPromises(open);
    readonlyPromises(open);
    deletingPromises(open);
    limitPromises(open);
    grepPromises(open);
    isolationPromises(open);
  });
}

function writingPromises(open: OpenFileStore): void {
  test("reads back exactly what was written", async () => {
    const store = await open();
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    await store.write("/all-bytes.bin", bytes);
    await store.write("/empty", new Uint8Array());
    expect([...value(await store.read("/all-bytes.bin"))]).toEqual([...bytes]);
    expect(value(await store.read("/empty"))).toHaveLength(0);
  });

  test("reports created on the first write only, and keeps the first creation time", async () => {
    const store = await open();
    const first = value(await store.write("/a.txt", text("one")));
    const second = value(await store.write("/a.txt", text("three")));
    expect([first.created, second.created]).toEqual([true, false]);
    expect(second.stat).toMatchObject({ path: "/a.txt", name: "a.txt", isDirectory: false, sizeBytes: 5 });
    expect(second.stat.createdAt).toEqual(first.stat.createdAt);
    expect(second.stat.updatedAt.getTime()).toBeGreaterThanOrEqual(first.stat.updatedAt.getTime());
  });

  test("creates parents, and lists one level in order", async () => {
    const store = await open();
    await store.write("/a/b/c.txt", text("c"));
    await store.write("/a/z.txt", text("zz"));
    const names = async (path: string) => value(await store.list(path)).map((stat) => stat.name);
    expect([await names("/"), await names("/a"), await names("/a/b")]).toEqual([
      ["a"],
      ["b", "z.txt"],
      ["c.txt"],
    ]);
    expect(value(await store.stat("/a/b"))).toMatchObject({
      isDirectory: true,
      sizeBytes: 0,
      isReadonly: false,
    });
    expect(value(await store.stat("/"))).toMatchObject({ path: "/", name: "/", isDirectory: true });
  });

  test("one file has one spelling", async () => {
    const store = await open();
    await store.write("docs//./a.txt", text("a"));
    expect(value(await store.write("/docs/a.txt/", text("b")))).toMatchObject({ created: false });
    expect([...value(await store.all()).keys()]).toEqual(["/docs/a.txt"]);
  });

  test("a missing path has no stat, and cannot be read, listed or deleted", async () => {
    const store = await open();
    expect(value(await store.stat("/nowhere"))).toBeUndefined();
    const attempts = [store.read("/nowhere"), store.list("/nowhere"), store.delete("/nowhere")];
    expect((await Promise.all(attempts)).map(code)).toEqual(Array(3).fill("file_not_found"));
  });

  test("a file is not a directory, and a directory is not a file", async () => {
    const store = await open();
    await store.write("/dir/file", text("x"));
    expect(code(await store.read("/dir"))).toBe("file_is_directory");
    expect(code(await store.write("/dir", text("x")))).toBe("file_is_directory");
    expect(code(await store.write("/", text("x")))).toBe("file_is_directory");
    expect(code(await store.list("/dir/file"))).toBe("file_not_directory");
    expect(code(await store.write("/dir/file/inside", text("x")))).toBe("file_not_directory");
    expect(value(await store.stat("/dir/file/inside"))).toBeUndefined();
  });

  test("later changes to the caller's bytes have no effect", async () => {
    const store = await open();
    const bytes = Buffer.from("before"); // whose slice() shares its memory, unlike that of a plain array
    await store.write("/a", bytes);
    bytes.fill(0);
    value(await store.read("/a")).fill(1);
    expect(asText(await store.read("/a"))).toBe("before");
  });
}

function readonlyPromises(open: OpenFileStore): void {
  test("a read-only file can be neither written nor deleted, even with its directory", async () => {
    const store = await open();
    await store.write("/keep/fixed.txt", text("fixed"), { readonly: true });
    await store.write("/keep/other.txt", text("other"));
    expect(value(await store.stat("/keep/fixed.txt"))).toMatchObject({ isReadonly: true });
    const attempts = [
      await store.write("/keep/fixed.txt", text("changed")),
      await store.delete("/keep/fixed.txt"),
      await store.delete("/keep", { recursive: true }),
      await store.delete("/", { recursive: true }),
    ];
    expect(attempts.map(code)).toEqual(Array(4).fill("file_readonly"));
    expect([...value(await store.all()).keys()]).toEqual(["/keep/fixed.txt", "/keep/other.txt"]);
    expect(asText(await store.read("/keep/fixed.txt"))).toBe("fixed");
  });
}

function deletingPromises(open: OpenFileStore): void {
  test("deletes a non-empty directory only with recursive", async () => {
    const store = await open();
    await store.write("/a/b/c.txt", text("c"));
    await store.write("/ab.txt", text("ab"));
    expect(code(await store.delete("/a"))).toBe("directory_not_empty");
    expect(value(await store.delete("/a", { recursive: true }))).toEqual({ deleted: 3 });
    expect(value(await store.list("/")).map((stat) => stat.path)).toEqual(["/ab.txt"]);
  });

  test("deletes a file and an empty directory, and keeps the directory a file was in", async () => {
    const store = await open();
    await store.write("/a/b.txt", text("b"));
    expect(value(await store.delete("/a/b.txt"))).toEqual({ deleted: 1 });
    expect(value(await store.list("/a"))).toEqual([]);
    expect(value(await store.delete("/a"))).toEqual({ deleted: 1 });
    expect(value(await store.stat("/a"))).toBeUndefined();
  });

  test("the root can be emptied but not deleted", async () => {
    const store = await open();
    await store.write("/a/b", text("b"));
    expect(code(await store.delete("/"))).toBe("directory_not_empty");
    expect(value(await store.delete("/", { recursive: true }))).toEqual({ deleted: 2 });
    expect(value(await store.list("/"))).toEqual([]);
  });
}

function limitPromises(open: OpenFileStore): void {
  test("refuses a file over the limit before anything is written", async () => {
    const store = await open({ fileBytes: 10 });
    expect(code(await store.write("/new/big", new Uint8Array(11)))).toBe("file_too_large");
    expect(value(await store.list("/"))).toEqual([]);
    expect(value(await store.write("/fits", new Uint8Array(10))).created).toBe(true);
  });

  test("refuses what would exceed the session's limit, and counts what was replaced and deleted", async () => {
    const store = await open({ sessionBytes: 100 });
    await store.write("/a", new Uint8Array(60));
    expect(code(await store.write("/b", new Uint8Array(41)))).toBe("session_full");
    expect(value(await store.write("/a", new Uint8Array(100))).created).toBe(false);
    await store.delete("/a");
    expect(value(await store.write("/b", new Uint8Array(100))).created).toBe(true);
  });
}

function grepPromises(open: OpenFileStore): void {
  test("finds lines by pattern, in order of path and line", async () => {
    const store = await openWith(open, { "/z.txt": "x\nTODO z", "/a/b.md": "TODO one\nnothing\nTODO two" });
    expect(value(await store.grep("TODO (\\w+)"))).toEqual({
      matches: [
        { path: "/a/b.md", line: 1, text: "TODO one" },
        { path: "/a/b.md", line: 3, text: "TODO two" },
        { path: "/z.txt", line: 2, text: "TODO z" },
      ],
      truncated: false,
    });
  });

  test("searches only where the path pattern matches", async () => {
    const store = await openWith(open, { "/a.txt": "hit", "/b.md": "hit", "/docs/c.txt": "hit" });
    const paths = async (pathPattern: string) =>
      value(await store.grep("hit", { pathPattern })).matches.map((match) => match.path);
    expect(await paths("*.txt")).toEqual(["/a.txt", "/docs/c.txt"]);
    expect(await paths("/docs/**")).toEqual(["/docs/c.txt"]);
    expect(await paths("*.{md,rst}")).toEqual(["/b.md"]);
  });

  test("stops at the limit and reports it; an invalid pattern or path pattern is refused", async () => {
    const store = await openWith(open, { "/a": "x\n".repeat(5), "/b": "x\n" });
    expect(value(await store.grep("x", { limit: 3 }))).toMatchObject({ truncated: true });
    expect(value(await store.grep("x", { limit: 6 }))).toMatchObject({ truncated: false });
    expect(value(await store.grep("x", { limit: 3 })).matches).toHaveLength(3);
    expect(code(await store.grep("("))).toBe("pattern_invalid");
    expect(code(await store.grep("a", { pathPattern: "[a" }))).toBe("pattern_invalid");
  });

  test("skips files that are not text", async () => {
    const store = await open();
    await store.write("/binary", Uint8Array.of(0x68, 0x69, 0, 0xff));
    expect(value(await store.grep("hi")).matches).toEqual([]);
  });
}

function isolationPromises(open: OpenFileStore): void {
  test("one session never sees another's files", async () => {
    const [mine, theirs] = [await open(), await open()];
    await theirs.write("/secret.txt", text("secret"));
    expect(code(await mine.read("/secret.txt"))).toBe("file_not_found");
    expect(value(await mine.stat("/secret.txt"))).toBeUndefined();
    expect(value(await mine.list("/"))).toEqual([]);
    expect(value(await mine.grep("secret")).matches).toEqual([]);
    expect(value(await mine.all()).size).toBe(0);
    await mine.delete("/", { recursive: true });
    expect(asText(await theirs.read("/secret.txt"))).toBe("secret");
  });

  test.each(["/../x", "/a/../../x", "/a\0b", `/${"n".repeat(300)}`, "\\x"])(
    "refuses the path %.20j",
    async (path) => {
      const store = await open();
      const attempts = [
        store.read(path),
        store.write(path, text("x")),
        store.list(path),
        store.stat(path),
        store.delete(path),
      ];
      expect((await Promise.all(attempts)).map(code)).toEqual(Array(5).fill("path_invalid"));
    },
  );

  test("random paths are refused, or name a file inside that reads back", async () => {
    const [store, other] = [await open(), await open()];
    const piece = fc.oneof(
      fc.constantFrom("..", ".", "", "a", "b", "%2e%2e", "\\"),
      fc.string({ unit: "binary", maxLength: 5 }),
    );
    const path = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join("/"));
    await fc.assert(
      fc.asyncProperty(path, async (random) => {
        const written = await store.write(random, text(random));
        if (!written.ok) return;
        expect(written.value.stat.path).not.toMatch(/(^|\/)\.\.(\/|$)/);
        expect(value(await store.read(written.value.stat.path))).toEqual(text(random));
      }),
      { numRuns: 200 },
    );
    expect(value(await other.all()).size).toBe(0);
  });
}

const text = (content: string) => new TextEncoder().encode(content);
const asText = (result: Result<Uint8Array>) => new TextDecoder().decode(value(result));
const code = (result: Result<unknown>) => (result.ok ? "ok" : result.failure.code);

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.message}`);
  return result.value;
}

async function openWith(open: OpenFileStore, files: Record<string, string>): Promise<SessionFileStore> {
  const store = await open();
  for (const [path, content] of Object.entries(files)) value(await store.write(path, text(content)));
  return store;
}
