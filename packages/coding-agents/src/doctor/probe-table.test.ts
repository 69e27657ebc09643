import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { probesMarkdown } from "./probe-table.ts";

test("docs/coding-agents.md shows the recorded probes", () => {
  const page = readFileSync(new URL("../../../../docs/coding-agents.md", import.meta.url), "utf8");
  expect(page).toContain(probesMarkdown());
});
