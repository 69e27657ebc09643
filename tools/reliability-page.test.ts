import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FAULTS } from "./fault-list.ts";
import { reliabilityPage } from "./reliability-page.ts";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

test("docs/reliability.md is what the program writes: `npm run reliability`", () => {
  expect(read("docs/reliability.md")).toBe(reliabilityPage());
});

test.each(FAULTS)("$fault is shown by a test that exists", ({ file, title }) => {
  expect(read(file)).toContain(title);
});
