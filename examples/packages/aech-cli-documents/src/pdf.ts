/** PDF by PDFium (the engine of Chromium) compiled to WebAssembly: the text of a page, and the page as an image. */
import { PDFiumLibrary, type PDFiumPage } from "@hyzyla/pdfium";
import { encodePng } from "./png.ts";

const MOST_PAGES = 500;
const SCALE = 2; // 144 dots per inch: small print stays readable, a page stays below a megabyte

export function pdfToMarkdown(bytes: Uint8Array): Promise<string> {
  return withPages(bytes, async (pages) =>
    pages.map((page) => paragraphs(page.getText())).join("\n\n---\n\n"),
  );
}

export function pdfToPngs(bytes: Uint8Array): Promise<Uint8Array[]> {
  return withPages(bytes, async (pages) => {
    const images: Uint8Array[] = [];
    for (const page of pages) {
      const { width, height, data } = await page.render({ scale: SCALE, render: "bitmap" });
      images.push(encodePng({ width, height, rgba: data }));
    }
    return images;
  });
}

async function withPages<T>(bytes: Uint8Array, use: (pages: PDFiumPage[]) => Promise<T>): Promise<T> {
  const library = await PDFiumLibrary.init();
  try {
    const document = await library.loadDocument(bytes).catch((error: Error) => {
      throw new Error(`the PDF cannot be read: ${error.message}`);
    });
    if (document.getPageCount() > MOST_PAGES) throw new Error(`the PDF has more than ${MOST_PAGES} pages`);
    const result = await use([...document.pages()]);
    document.destroy();
    return result;
  } finally {
    library.destroy();
  }
}

/** Lines of a paragraph are joined; an empty line, or a line that ends a sentence before a capital, starts a new one. */
function paragraphs(text: string): string {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return lines
    .join("\n")
    .replaceAll(/(\p{L})-\n(\p{Ll})/gu, "$1$2")
    .replaceAll(/([^.!?:\n])\n(?=[\p{Ll}\d(])/gu, "$1 ")
    .replaceAll(/\n+/g, "\n\n")
    .trim();
}
