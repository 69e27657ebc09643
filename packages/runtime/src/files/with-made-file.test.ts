import { memoryFileStore, type SessionFileStore } from "@capstan/core";
import { expect, test } from "vitest";
import { compileGrep } from "./line-finder.ts";
import { withMadeFile } from "./with-made-file.ts";

const PATH = "/made.json";
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const bytes = (words: string) => new TextEncoder().encode(words);

async function files(content: { now: string | undefined }): Promise<SessionFileStore> {
  const own = memoryFileStore({ compile: compileGrep });
  await own.write("/zebra.txt", bytes("stripes\n"));
  await own.write("/a/notes.txt", bytes("tide\n"));
  return withMadeFile(own, {
    path: PATH,
    compile: compileGrep,
    make: async () => (content.now === undefined ? undefined : { text: content.now, since: new Date(7) }),
  });
}

test("is read, listed, searched and mounted like the others, with its current content", async () => {
  const content = { now: "first tide\n" };
  const store = await files(content);
  const read = await store.read(PATH);
  expect(read.ok && text(read.value)).toBe("first tide\n");
  const listed = await store.list("/");
  expect(listed.ok && listed.value.map(({ path }) => path)).toEqual(["/a", PATH, "/zebra.txt"]);
  const found = await store.grep("tide");
  expect(found.ok && found.value.matches.map(({ path }) => path)).toEqual(["/a/notes.txt", PATH]);
  const mounted = await store.all();
  expect(mounted.ok && [...mounted.value.keys()].sort()).toEqual(["/a/notes.txt", PATH, "/zebra.txt"]);
  content.now = "second\n";
  const again = await store.read("made.json");
  expect(again.ok && text(again.value)).toBe("second\n");
  expect(await store.stat(PATH)).toMatchObject({
    value: { isReadonly: true, sizeBytes: 7, updatedAt: new Date(7), name: "made.json" },
  });
});

test.each([
  ["written", (store: SessionFileStore) => store.write(PATH, bytes("mine"))],
  [
    "written with another spelling",
    (store: SessionFileStore) => store.write("//a/../made.json", bytes("mine")),
  ],
  ["made a directory", (store: SessionFileStore) => store.write(`${PATH}/x`, bytes("mine"))],
  ["deleted", (store: SessionFileStore) => store.delete(PATH)],
])("cannot be %s", async (_, change) => {
  const store = await files({ now: "kept" });
  expect(await change(store)).toMatchObject({ ok: false });
  const read = await store.read(PATH);
  expect(read.ok && text(read.value)).toBe("kept");
});

test("does not exist when there is nothing to generate", async () => {
  const store = await files({ now: undefined });
  expect(await store.read(PATH)).toMatchObject({ failure: { code: "file_not_found" } });
  expect(await store.stat(PATH)).toEqual({ ok: true, value: undefined });
  const listed = await store.list("/");
  expect(listed.ok && listed.value.map(({ path }) => path)).toEqual(["/a", "/zebra.txt"]);
});

test.each([
  ["its glob does not match", "*.txt", 10, 1, false],
  ["the limit is reached", "*", 1, 1, true],
])("a search respects the request when %s", async (_, pathPattern, limit, count, truncated) => {
  const found = await (await files({ now: "tide\n" })).grep("tide", { pathPattern, limit });
  expect(found.ok && [found.value.matches.length, found.value.truncated]).toEqual([count, truncated]);
});
