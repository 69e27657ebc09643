/** HTML to Markdown, tables included; what is not read by people (scripts, styles) is left out. */
import TurndownService from "turndown";
import { gfm } from "turndown-plugin-gfm";

const turndown = new TurndownService({
  headingStyle: "atx",
  codeBlockStyle: "fenced",
  emDelimiter: "*",
  bulletListMarker: "-",
});
turndown.use(gfm);
turndown.remove(["script", "style", "noscript", "template"] as never);

export function htmlToMarkdown(html: string): string {
  return turndown.turndown(withHeaderRows(html.replace(/<head[\s\S]*?<\/head>/i, "")));
}

/** Markdown tables need a header row; where the document has none, its first row is one. */
function withHeaderRows(html: string): string {
  return html.replaceAll(/<table[^>]*>(?:(?!<\/table>)[\s\S])*<\/table>/gi, (table) =>
    /<th[\s>]/i.test(table)
      ? table
      : table.replace(/<tr[^>]*>[\s\S]*?<\/tr>/i, (row) => row.replaceAll(/<(\/?)td(?=[\s>])/gi, "<$1th")),
  );
}
