/** DOCX to Markdown by way of HTML: mammoth knows Word's styles, turndown knows Markdown. Pictures are named, not kept. */
import mammoth from "mammoth";
import { htmlToMarkdown } from "./html.ts";

export async function docxToMarkdown(bytes: Uint8Array): Promise<string> {
  const convertImage = mammoth.images.imgElement(async () => ({ src: "picture" }));
  const { value } = await mammoth.convertToHtml({ buffer: Buffer.from(bytes) }, { convertImage });
  // In Word's cells every line is a paragraph; in a Markdown table it must not be.
  return htmlToMarkdown(value.replaceAll(/(<t[dh][^>]*>)<p>([\s\S]*?)<\/p>(<\/t[dh]>)/g, "$1$2$3"));
}
