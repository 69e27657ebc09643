import { describe, expect, test } from "vitest";
import { changedFiles } from "./change-files.ts";

const RAW = [
  ":100644 100644 aaa bbb M\0a b.txt\0",
  ":000000 120000 000 ccc A\0link\0",
  ":100644 000000 ddd 000 D\0old.bin\0",
].join("");
const COUNTS = "1\t2\ta b.txt\x001\t0\tlink\0-\t-\told.bin\0";
const PATCH = [
  "diff --git a/a b.txt b/a b.txt\n--- a/a b.txt\n+++ b/a b.txt\n@@ -1,2 +1 @@\n-diff --git a/x b/x\n-two\n+one\n",
  "diff --git a/link b/link\nnew file mode 120000\n--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+/etc\n",
  "diff --git a/old.bin b/old.bin\ndeleted file mode 100644\nBinary files a/old.bin and /dev/null differ\n",
].join("");

describe("the files of a change", () => {
  test("have what happened, how many lines, and the difference, also of a text about diffs", () => {
    const files = changedFiles({ raw: RAW, counts: COUNTS, patch: PATCH, isCut: false });
    expect(files).toEqual([
      {
        path: "a b.txt",
        change: "changed",
        kind: "file",
        additions: 1,
        deletions: 2,
        diff: expect.stringContaining("-diff --git a/x b/x\n-two\n+one\n"),
      },
      {
        path: "link",
        change: "added",
        kind: "link",
        additions: 1,
        deletions: 0,
        diff: expect.stringContaining("+/etc"),
      },
      { path: "old.bin", change: "removed", kind: "file", diff: null },
    ]);
  });

  test("keep their differences where a file became a link, which git tells as two", () => {
    const raw = ":100644 120000 aaa bbb T\0a\0:000000 100644 000 ccc A\0b\0";
    const patch =
      "diff --git a/a b/a\n@@ -1 +0,0 @@\n-was\ndiff --git a/a b/a\n@@ -0,0 +1 @@\n+/etc\ndiff --git a/b b/b\n@@ -0,0 +1 @@\n+new\n";
    const [link, file] = changedFiles({ raw, counts: "", patch, isCut: false });
    expect(link).toMatchObject({
      change: "changed",
      kind: "link",
      diff: expect.stringMatching(/-was[\s\S]*\+\/etc/),
    });
    expect(file?.diff).toMatch(/\+new/);
  });

  test("are all named where the differences are too long to be shown", () => {
    const files = changedFiles({ raw: RAW, counts: COUNTS, patch: PATCH.slice(0, 200), isCut: true });
    expect(files.map(({ path, diff }) => [path, diff === null])).toEqual([
      ["a b.txt", false],
      ["link", true],
      ["old.bin", true],
    ]);
    const long = `${PATCH.slice(0, 100)}${"x".repeat(300_000)}`;
    expect(changedFiles({ raw: RAW, counts: COUNTS, patch: long, isCut: false })[0]?.diff).toBeNull();
  });
});
