/** The two actions: a document in, files out. Which formats exist is a table; a new one is a row. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { docxToMarkdown } from "./docx.ts";
import { htmlToMarkdown } from "./html.ts";
import { pdfToMarkdown, pdfToPngs } from "./pdf.ts";

export interface Job {
  input: string;
  outputDir: string;
  format: string | undefined;
}

export interface Written {
  files: string[];
  format: string;
  pages?: number;
}

type Reader = (bytes: Uint8Array) => Promise<string> | string;

const text: Reader = (bytes) => new TextDecoder().decode(bytes);

/** How each kind of document becomes Markdown. */
const MARKDOWN: Record<string, Reader> = {
  ".txt": (bytes) => escaped(new TextDecoder().decode(bytes)),
  ".md": text,
  ".markdown": text,
  ".html": (bytes) => htmlToMarkdown(new TextDecoder().decode(bytes)),
  ".htm": (bytes) => htmlToMarkdown(new TextDecoder().decode(bytes)),
  ".docx": docxToMarkdown,
  ".pdf": pdfToMarkdown,
};

export async function convert({ input, outputDir, format = "png" }: Job): Promise<Written> {
  if (format === "markdown") return extract({ input, outputDir, format });
  if (format !== "png") throw new Error(`convert makes png or markdown, not ${format}`);
  if (extname(input).toLowerCase() !== ".pdf")
    throw new Error("only a PDF can be converted to png; use --format markdown");
  const pages = await pdfToPngs(await readFile(input));
  const files: string[] = [];
  for (const [index, png] of pages.entries()) {
    files.push(await save(outputDir, `page_${String(index + 1).padStart(3, "0")}.png`, png));
  }
  return { files, format, pages: pages.length };
}

export async function extract({ input, outputDir, format = "markdown" }: Job): Promise<Written> {
  if (format !== "markdown" && format !== "text")
    throw new Error(`extract makes markdown or text, not ${format}`);
  const extension = extname(input).toLowerCase();
  const read = MARKDOWN[extension];
  if (!read) throw new Error(`"${extension}" is not known; there are ${Object.keys(MARKDOWN).join(", ")}`);
  const bytes = await readFile(input);
  const markdown = await read(bytes);
  const isText = format === "text";
  const content = isText ? plain(markdown) : `${markdown.trim()}\n`;
  const name = `${basename(input, extname(input))}${isText ? ".txt" : ".md"}`;
  return { files: [await save(outputDir, name, content)], format };
}

/** Beside and renamed, so that the same call twice is safe and nobody reads half a file. */
async function save(folder: string, name: string, content: string | Uint8Array): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, name);
  await writeFile(`${path}.${process.pid}.tmp`, content);
  await rename(`${path}.${process.pid}.tmp`, path);
  return path;
}

/** A line of plain text that happens to look like Markdown stays plain text. */
const escaped = (plainText: string) =>
  plainText.replaceAll(/^(\s*)(#{1,6}\s|[-*+]\s|>)/gm, "$1\\$2").replaceAll(/^(\s*\d+)\.(?=\s)/gm, "$1\\.");

/** The words without the marks. */
function plain(markdown: string): string {
  const words = markdown
    .replaceAll(/^\s*#{1,6}\s+/gm, "")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/(\*\*|__|`)(.+?)\1/g, "$2")
    .replaceAll(/\\([\\`*_{}[\]()#+\-.!>])/g, "$1");
  return `${words.trim()}\n`;
}
