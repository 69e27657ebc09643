/**
 * HTML to Markdown and to plain text in one pass, without a tree: about as fast as the tokenizer underneath.
 * The page's title comes first if the page has no main heading.
 */
import { type Dialect, MARKDOWN, TEXT } from "./dialect.ts";
import { walkHtml } from "./html-walker.ts";
import { PageRenderer } from "./page-renderer.ts";

export interface HtmlOptions {
  /** The page's URL: relative links and images are resolved against it. */
  baseUrl?: string | undefined;
}

export function htmlToMarkdown(html: string, options: HtmlOptions = {}): string {
  return convert(html, MARKDOWN, options);
}

export function htmlToText(html: string, options: HtmlOptions = {}): string {
  return convert(html, TEXT, options);
}

function convert(html: string, dialect: Dialect, { baseUrl }: HtmlOptions): string {
  const page = new PageRenderer(html, dialect, baseUrl);
  walkHtml(html, page);
  const content = page.writer.result().trimEnd();
  const title = page.title.replace(/\s+/g, " ").trim();
  if (title === "" || page.hasMainHeading) return content;
  return `${dialect.heading(1)}${title}\n\n${content}`.trimEnd();
}
