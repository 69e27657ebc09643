/**
 * The code blocks of the README and the docs. A block that is not run gives the reason in its first line:
 * ```` ```sh no-run: needs a container engine ````. TypeScript that cannot run here, `check-only: needs an account`, is
 * still type-checked. `file=name` puts a block in the folder that the blocks of its page share.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

export interface DocsBlock {
  readonly page: string;
  /** Of the first line inside. */
  readonly line: number;
  readonly language: string;
  readonly file?: string;
  /** Why it is not run. */
  readonly noRun?: string;
  /** Why its types are checked and it is not run. */
  readonly checkOnly?: string;
  readonly text: string;
}

/** Of what no program reads. A block without a language is a picture or a piece of output. */
const SHOWN_ONLY = new Set(["", "text", "markdown"]);

/** A block with these is code, whether it says so or not. */
const COMMANDS = /^\s*(\$ )?(capstan|npx|npm|node|curl|docker) /m;

export const PAGES = [
  "README.md",
  "ARCHITECTURE.md",
  "AGENTS.md",
  "CONTRIBUTING.md",
  "examples/README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

export const docsBlocks = (): DocsBlock[] =>
  PAGES.flatMap((page) => blocksOf(page, readFileSync(join(ROOT, page), "utf8")));

export function blocksOf(page: string, text: string): DocsBlock[] {
  const blocks: DocsBlock[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const opened = /^(\s*)(`{3,})(.*)$/.exec(lines[at] ?? "");
    if (!opened) continue;
    const [, indent = "", fence = "", info = ""] = opened;
    const end = lines.findIndex((line, index) => index > at && line.trim() === fence);
    if (end === -1) throw new Error(`${page}:${at + 1} opens a block that never ends`);
    const body = lines.slice(at + 1, end).map((line) => line.slice(indent.length));
    const block = { page, line: at + 2, ...readInfo(info.trim()), text: body.join("\n") };
    if (!SHOWN_ONLY.has(block.language) || COMMANDS.test(block.text)) blocks.push(block);
    at = end;
  }
  return blocks;
}

function readInfo(info: string): Pick<DocsBlock, "language" | "file" | "noRun" | "checkOnly"> {
  const [language = "", ...rest] = info.split(" ");
  const noRun = /no-run:\s*(.+)$/.exec(info)?.[1];
  const checkOnly = /check-only:\s*(.+)$/.exec(info)?.[1];
  const file = rest.find((word) => word.startsWith("file="))?.slice("file=".length);
  return { language, ...(file && { file }), ...(noRun && { noRun }), ...(checkOnly && { checkOnly }) };
}
