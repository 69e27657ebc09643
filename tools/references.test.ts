import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./docs-blocks.ts";
import { cliReference } from "./references.ts";

test("docs/cli.md is what the command table says; `node tools/references.ts` writes it", async () => {
  expect(readFileSync(join(ROOT, "docs/cli.md"), "utf8")).toBe(await cliReference());
});
