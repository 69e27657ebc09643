import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { loadConfig } from "./load-config.ts";

const folders: string[] = [];
afterEach(() => folders.splice(0).map((folder) => rmSync(folder, { recursive: true })));

test.each([
  ["export const dice = 6;", "it has no default export; end it with `export default defineConfig({ ... })`"],
  [
    "export default { capabilitys: [] };",
    "it knows no capabilitys; there is capabilities, documents, codingAgents",
  ],
  ["throw new Error('no dice');", "no dice"],
])("%s: %s", async (source, why) => {
  const folder = mkdtempSync(join(tmpdir(), "capstan-config-"));
  folders.push(folder);
  writeFileSync(join(folder, "capstan.config.mjs"), source);
  const loaded = await loadConfig(folder);
  expect(loaded.ok).toBe(false);
  if (loaded.ok) return;
  expect(loaded.failure.message).toBe(`${join(folder, "capstan.config.mjs")} cannot be used: ${why}`);
  expect(loaded.failure.nextStep).toContain("docs/configuration.md");
});
