import { expect, test } from "vitest";
import { leadsOut } from "./folder-change.ts";

test.each([
  ["a", "b/c", false],
  ["deep/er/a", "../../b", false],
  ["deep/er/a", "./../x", false],
  ["a", "/etc/passwd", true],
  ["a", "..", true],
  ["deep/a", "../../x", true],
  // `deep/er/top -> ../..` is the folder itself, so that `deep/er/top/..` is above it
  ["a", "deep/er/top/..", true],
])("of a change, the link %s -> %s leads out: %s", (path, target, out) => {
  expect(leadsOut(path, target)).toBe(out);
});
