import { expect, test } from "vitest";
import { openFilesLimit } from "./open-files-limit.ts";
import { filesOfStore } from "./open-pglite.ts";

test.each<[string, number | undefined]>([
  ["Max open files            1024   1048576   files", 1024],
  ["Max open files            unlimited   unlimited   files", undefined],
  ["", undefined],
])("the limit is read from %j as %s", (line, limit) => {
  expect(openFilesLimit(`Limit  Soft Limit  Hard Limit  Units\n${line}\n`)).toBe(limit);
});

test.each([
  [100, 64],
  [1024, 512],
  [1_048_576, 1000],
])("of %i open files the embedded store takes at most %i", (limit, files) => {
  expect(filesOfStore(limit)).toBe(files);
});
