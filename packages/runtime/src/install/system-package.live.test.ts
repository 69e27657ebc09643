import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemPackageSummary } from "./system-package.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-dpkg-"));
  await mkdir(join(folder, "info"));
  await writeFile(join(folder, "info/shellcheck.list"), "/.\n/usr/bin\n/usr/bin/shellcheck\n");
  await writeFile(join(folder, "info/zlib1g:amd64.list"), "/.\n/bin/zcat\n");
  await writeFile(
    join(folder, "status"),
    "Package: shellcheck\nVersion: 0.9.0\nDescription: lint tool for shell scripts\n The goals are\n\nPackage: zlib1g\nDescription: compression library\n",
  );
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ["/usr/bin/shellcheck", "Lint tool for shell scripts"],
  ["/usr/bin/zcat", "Compression library"],
  ["/usr/bin/unknown", undefined],
])("the program %s is described as %j", async (path, summary) => {
  expect(await systemPackageSummary(path, folder)).toBe(summary);
});

test("a system without these lists says nothing", async () => {
  expect(await systemPackageSummary("/usr/bin/shellcheck", join(folder, "none"))).toBeUndefined();
});
