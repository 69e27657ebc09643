import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { probedFeaturesMarkdown, probesMarkdown } from "./probe-table.ts";

test("docs/coding-agents.md shows the recorded probes, and how each feature is probed", () => {
  const page = readFileSync(new URL("../../../../docs/coding-agents.md", import.meta.url), "utf8");
  expect(page).toContain(probesMarkdown());
  expect(page).toContain(probedFeaturesMarkdown());
});
