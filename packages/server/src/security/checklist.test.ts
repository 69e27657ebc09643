/**
 * The security suite in one place: each attack, and the tests that cover it. A row whose test is missing fails here,
 * so that an attack is never dropped by moving a file.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { SECURITY_SUITE } from "./fixtures/security-suite.ts";

const ROOT = new URL("../../../../", import.meta.url);

test.each(SECURITY_SUITE.flatMap(({ attack, shownBy }) => shownBy.map((row) => [attack, ...row] as const)))(
  "%s: %s has the test %j",
  (_attack, file, title) => {
    expect(readFileSync(fileURLToPath(new URL(file, ROOT)), "utf8")).toContain(title);
  },
);

test("every attack of the list has a test", () => {
  expect(SECURITY_SUITE.filter(({ shownBy }) => shownBy.length === 0)).toEqual([]);
  expect(SECURITY_SUITE.length).toBeGreaterThanOrEqual(17);
});
