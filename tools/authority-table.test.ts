import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { withTable } from "./authority-table.ts";

test("docs/security.md shows the table that routes and the gate decide by: `node tools/authority-table.ts`", () => {
  const page = readFileSync(new URL("../docs/security.md", import.meta.url), "utf8");
  expect(page).toBe(withTable(page));
});
