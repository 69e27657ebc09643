import { expect, test } from "vitest";
import { checkOpenFiles } from "./open-files.ts";

test.each([
  [24, false],
  [127, false],
  [128, true],
  [1_048_576, true],
])("with a limit of %s open files, starting is allowed: %s", (limit, allowed) => {
  expect(checkOpenFiles(limit).ok).toBe(allowed);
});
