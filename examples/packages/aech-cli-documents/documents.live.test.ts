import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { crc32, deflateRawSync, gunzipSync, gzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { readManifest } from "@capstan/core";
import { writeZip } from "@capstan/core/internal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const main = fileURLToPath(new URL("./src/main.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "capstan-documents-"));
const out = join(folder, "outputs");

beforeAll(() => {
  writeFileSync(join(folder, "notes.txt"), "# not a heading\n1. not a list\nplain words\n");
  writeFileSync(join(folder, "page.html"), HTML);
  writeFileSync(join(folder, "report.docx"), docx());
  writeFileSync(join(folder, "input.pdf"), pdf(["First page", "Second page"]));
  writeFileSync(join(folder, "broken.pdf"), "this is no PDF");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HTML = `<html><head><title>x</title><style>p{}</style></head><body><h1>Tides</h1><p>High at <b>noon</b>, see
<a href="https://x.org/t">the table</a>.</p><ul><li>one</li><li>two</li></ul><script>evil()</script>
<table><tr><td>Day</td><td>Time</td></tr><tr><td>Mon</td><td>12:00</td></tr></table></body></html>`;

describe("aech-cli-documents", () => {
  test("describes itself with a manifest that can be installed", async () => {
    const { stdout } = await run("--help");
    expect(readManifest(stdout)).toMatchObject({
      ok: true,
      value: { name: "documents", command: "aech-cli-documents" },
    });
  });

  test("converts a PDF to one PNG per page, as the specification calls it", async () => {
    const { stdout } = await run(
      "convert",
      "input.pdf",
      "--output-dir",
      "./outputs",
      "--format",
      "png",
      "--json",
    );
    const files = ["outputs/page_001.png", "outputs/page_002.png"];
    expect(JSON.parse(stdout)).toEqual({ files, format: "png", pages: 2 });
    const [first, second] = files.map((file) => pixels(readFileSync(join(folder, file))));
    expect(first).toMatchObject({ width: 1190, height: 1684 });
    expect(first?.dark).toBeGreaterThan(100);
    expect(first?.hash).not.toBe(second?.hash);
  });

  test("extracts a DOCX to Markdown, as the specification calls it", async () => {
    expect(await extracted("report.docx")).toBe(
      "# Quarterly report\n\nSales rose by **12 %** and *costs* fell.\n\n| Region | Sales |\n| --- | --- |\n| North | 10 |\n",
    );
  });

  test("extracts HTML to Markdown without scripts and styles", async () => {
    expect(await extracted("page.html")).toBe(
      "# Tides\n\nHigh at **noon**, see [the table](https://x.org/t).\n\n-   one\n-   two\n\n| Day | Time |\n| --- | --- |\n| Mon | 12:00 |\n",
    );
  });

  test("extracts the text of a PDF, page by page", async () => {
    expect(await extracted("input.pdf")).toBe("First page\n\n---\n\nSecond page\n");
  });

  test("keeps plain text plain", async () => {
    expect(await extracted("notes.txt")).toBe("\\# not a heading\n1\\. not a list\nplain words\n");
    await run("extract", "notes.txt", "--output-dir", "./outputs", "--format", "text");
    expect(readFileSync(join(out, "notes.txt"), "utf8")).toContain("plain words");
  });

  test("gives the same files for the same call", async () => {
    const [first, second] = [await extracted("report.docx"), await extracted("report.docx")];
    expect(first).toBe(second);
  });

  test.each([
    [["convert", "report.docx", "--output-dir", "o", "--format", "png"], 1, /only a PDF/],
    [["extract", "missing.txt", "--output-dir", "o"], 1, /ENOENT/],
    [["extract", "broken.pdf", "--output-dir", "o"], 1, /cannot be read/],
    [["extract", "main.exe", "--output-dir", "o"], 1, /not known/],
    [["extract", "notes.txt"], 2, /usage/],
    [["destroy"], 2, /unknown action/],
  ])("%j fails with code %i and says why on stderr", async (args, code, message) => {
    await expect(run(...args)).rejects.toMatchObject({
      code,
      stdout: "",
      stderr: expect.stringMatching(message),
    });
  });
});

async function run(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, ["--no-warnings", main, ...args], { cwd: folder, env: {} });
}

async function extracted(name: string): Promise<string> {
  const { stdout } = await run(
    "extract",
    name,
    "--output-dir",
    "./outputs",
    "--format",
    "markdown",
    "--json",
  );
  return readFileSync(join(folder, JSON.parse(stdout).files[0]), "utf8");
}

/** Reads back what was written: size, how many dark pixels, and a hash. */
function pixels(png: Buffer): { width: number; height: number; dark: number; hash: string } {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const rows = inflateSync(png.subarray(41, png.indexOf("IEND") - 8));
  let dark = 0;
  for (let at = 0; at < rows.length; at += 4)
    if ((rows[at + 1] ?? 255) < 80 && (rows[at + 2] ?? 255) < 80) dark += 1;
  return { width, height, dark, hash: createHash("sha256").update(rows).digest("hex") };
}

function pdf(pages: string[]): string {
  const objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""];
  const kids: string[] = [];
  for (const text of pages) {
    const content = `BT /F1 24 Tf 72 720 Td (${text}) Tj ET`;
    kids.push(`${objects.length + 1} 0 R`);
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${objects.length + 2} 0 R /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    );
  }
  objects[1] = `<< /Type /Pages /Kids [${kids.join(" ")}] /Count ${pages.length} >>`;
  let body = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const at = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  return `${body}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join("")}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
}

function docx(): Uint8Array {
  const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  const cell = (text: string) => `<w:tc><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:tc>`;
  const body = `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Quarterly report</w:t></w:r></w:p>
<w:p><w:r><w:t xml:space="preserve">Sales rose by </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>12 %</w:t></w:r><w:r><w:t xml:space="preserve"> and </w:t></w:r><w:r><w:rPr><w:i/></w:rPr><w:t>costs</w:t></w:r><w:r><w:t xml:space="preserve"> fell.</w:t></w:r></w:p>
<w:tbl><w:tr>${cell("Region")}${cell("Sales")}</w:tr><w:tr>${cell("North")}${cell("10")}</w:tr></w:tbl>`;
  const part = (path: string, text: string) => ({
    path,
    bytes: new TextEncoder().encode(`<?xml version="1.0"?>${text}`),
  });
  const files = [
    part(
      "[Content_Types].xml",
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    ),
    part(
      "_rels/.rels",
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    ),
    part("word/document.xml", `<w:document ${w}><w:body>${body}</w:body></w:document>`),
    part(
      "word/styles.xml",
      `<w:styles ${w}><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    ),
    part(
      "word/_rels/document.xml.rels",
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>',
    ),
  ];
  return writeZip(files, {
    inflateRaw: (bytes, maxOutputLength) => inflateRawSync(bytes, { maxOutputLength }),
    deflateRaw: (bytes) => deflateRawSync(bytes),
    gunzip: (bytes) => gunzipSync(bytes),
    gzip: (bytes) => gzipSync(bytes),
    crc32: (bytes) => crc32(bytes),
    sha256: (bytes) => createHash("sha256").update(bytes).digest(),
  });
}
