/** Writes the tables of docs/coding-agents.md from the manifests: `node tools/agent-docs.ts`. A test checks that this was done. */
import { readFile, writeFile } from "node:fs/promises";
import { matrixMarkdown } from "../packages/coding-agents/src/built-in/matrix.ts";
import {
  departuresMarkdown,
  effortMarkdown,
  installMarkdown,
  pluginsMarkdown,
  transportsMarkdown,
} from "../packages/coding-agents/src/docs/docs-tables.ts";
import { probedFeaturesMarkdown, probesMarkdown } from "../packages/coding-agents/src/doctor/probe-table.ts";

const PAGE = new URL("../docs/coding-agents.md", import.meta.url);
const TABLES: Readonly<Record<string, () => string>> = {
  matrix: matrixMarkdown,
  effort: effortMarkdown,
  plugins: pluginsMarkdown,
  transports: transportsMarkdown,
  probes: probesMarkdown,
  "probed-features": probedFeaturesMarkdown,
  install: installMarkdown,
  departures: departuresMarkdown,
};

let page = await readFile(PAGE, "utf8");
for (const [name, make] of Object.entries(TABLES)) {
  const section = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`);
  if (!section.test(page)) throw new Error(`docs/coding-agents.md has no section <!-- ${name} -->`);
  page = page.replace(section, (_, open: string, close: string) => `${open}${make()}\n${close}`);
}
await writeFile(PAGE, page);
