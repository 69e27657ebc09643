import { expect, test } from "vitest";
import { checkOpenFiles } from "./open-files.ts";

test.each([
  ["24", false],
  ["63", false],
  ["64", true],
  ["1048576", true],
  ["unlimited", true],
])("with a limit of %s open files, starting is allowed: %s", (limit, allowed) => {
  const limits = `Limit  Soft Limit  Hard Limit  Units\nMax open files            ${limit}   1048576   files`;
  expect(checkOpenFiles(limits).ok).toBe(allowed);
});

test("where the system tells nothing, the start is not refused", () => {
  expect(checkOpenFiles("").ok).toBe(true);
});
