import { describe, expect, test } from "vitest";
import { fileChanges } from "./file-changes.ts";
import { MemoryFiles, normalize } from "./memory-files.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const mounted = () => new MemoryFiles(new Map([["/a/b.txt", bytes("b")]]), 100);

describe("memory files", () => {
  test.each([
    ["a/./b//c", "/a/b/c"],
    ["../../etc/passwd", "/etc/passwd"],
    ["/a/../..", "/"],
    ["", "/"],
  ])("reads %j as %j, never above the root", (name, path) => {
    expect(normalize(name)).toBe(path);
  });

  test("a directory exists because something is in it, or because it was created", () => {
    const files = mounted();
    files.makeDirectory("/empty");
    expect(files.list("/")).toEqual(["a", "empty"]);
    expect([files.kind("/a"), files.kind("/a/b.txt"), files.kind("/none")]).toEqual([
      "directory",
      "file",
      undefined,
    ]);
    files.remove("/", true);
    expect(files.list("/")).toEqual([]);
  });

  test.each([
    ["reading a missing file", (files: MemoryFiles) => files.read("/none"), "ENOENT"],
    ["reading a directory", (files: MemoryFiles) => files.read("/a"), "EISDIR"],
    ["writing over a directory", (files: MemoryFiles) => files.write("/a", bytes("x")), "EISDIR"],
    ["writing below a file", (files: MemoryFiles) => files.write("/a/b.txt/c", bytes("x")), "ENOTDIR"],
    ["listing a file", (files: MemoryFiles) => files.list("/a/b.txt"), "ENOTDIR"],
    ["removing a non-empty directory", (files: MemoryFiles) => files.remove("/a", false), "ENOTEMPTY"],
    ["creating a directory over a file", (files: MemoryFiles) => files.makeDirectory("/a/b.txt"), "EEXIST"],
    ["writing more than fits", (files: MemoryFiles) => files.write("/c", bytes("x".repeat(101))), "ENOSPC"],
  ])("%s is Node's error", (_, act, code) => {
    expect(() => act(mounted())).toThrow(expect.objectContaining({ code }));
  });

  test("space is freed when a file is replaced or removed", () => {
    const files = mounted();
    for (let round = 0; round < 5; round += 1) files.write("/c", bytes("x".repeat(90)));
    files.remove("/c", false);
    files.write("/d", bytes("x".repeat(99)));
    expect(files.list("/")).toEqual(["a", "d"]);
  });
});

describe("file changes", () => {
  test("are what was written, changed and deleted, without the sandbox's own files", () => {
    const before = new Map([
      ["/same", bytes("1")],
      ["/changed", bytes("1")],
      ["/gone", bytes("1")],
    ]);
    const after = new Map([
      ["/same", bytes("1")],
      ["/changed", bytes("2")],
      ["/new", bytes("3")],
      ["/lib/python", bytes("4")],
    ]);
    const changes = fileChanges(before, after, new Set(["/lib/python"]));
    expect([...changes]).toEqual([
      ["/changed", bytes("2")],
      ["/new", bytes("3")],
      ["/gone", null],
    ]);
  });
});
