import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { loadConfig } from "./load-config.ts";

const folders: string[] = [];
afterEach(() => folders.splice(0).map((folder) => rmSync(folder, { recursive: true })));

test.each([
  ["export const dice = 6;", "it has no default export; end it with `export default defineConfig({ ... })`"],
  ["export default { capabilitys: [] };", 'unknown field "capabilitys", did you mean "capabilities"?'],
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

test.each([
  ["capstan.config.ts", "commonjs"],
  ["capstan.config.ts", "module"],
  ["capstan.config.mts", "commonjs"],
  ["capstan.config.js", "commonjs"],
  ["capstan.config.mjs", "commonjs"],
  ["capstan.config.ts", "undeclared"],
  ["capstan.config.ts", "no"],
  ["capstan.config.js", "no"],
])("%s in a package of %s type is read, with the files it imports", (name, type) => {
  const folder = mkdtempSync(join(tmpdir(), "capstan config "));
  folders.push(folder);
  const own = name.endsWith("js") ? "dice.js" : "dice.ts";
  if (type !== "no")
    writeFileSync(join(folder, "package.json"), JSON.stringify(type === "undeclared" ? {} : { type }));
  if (name.endsWith("mjs")) writeFileSync(join(folder, "dice.mjs"), "export const documents = [];");
  writeFileSync(join(folder, own), "export const documents = [];");
  const imported = name.endsWith("mjs") ? "dice.mjs" : own;
  const source = `import { documents } from "./${imported}";\nexport default { documents };\n`;
  writeFileSync(
    join(folder, name),
    name.endsWith("mts") ? "export default { documents: [] as object[] };" : source,
  );
  expect(loadedByNode(folder)).toEqual({ ok: true, value: { documents: [] } });
});

/** In a separate process: the test runner loads modules its own way. */
function loadedByNode(folder: string): unknown {
  const module = JSON.stringify(new URL("load-config.ts", import.meta.url).href);
  const code = `import(${module}).then(async ({ loadConfig }) => console.log(JSON.stringify(await loadConfig(process.argv[1]))))`;
  const { stdout, stderr } = spawnSync(process.execPath, ["-e", code, folder], { encoding: "utf8" });
  expect(stderr).not.toContain("Warning");
  return JSON.parse(stdout);
}
