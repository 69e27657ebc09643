import { readdirSync, readFileSync } from "node:fs";
import { DomUtils, parseDocument } from "htmlparser2";
import { describe, expect, test } from "vitest";
import { htmlToMarkdown, htmlToText } from "./html-to-markdown.ts";

const FOLDER = new URL("../../../../bench/pages/", import.meta.url);
const PAGES = readdirSync(FOLDER).filter((name) => name.endsWith(".html"));
const HIDDEN = new Set("script style template title iframe noframes video canvas datalist".split(" "));

/** Compared with a parser that builds a tree: what a reader sees on real kinds of pages must be in our output. */
describe.each(PAGES)("%s", (name) => {
  const html = readFileSync(new URL(name, FOLDER), "utf8");
  const visible = visibleWords(html);

  test.each([
    ["Markdown", htmlToMarkdown],
    ["text", htmlToText],
  ])("keeps every visible word as %s, and nothing that is hidden", (_, convert) => {
    const letters = wordsOf(convert(html).replace(/\\(?=[!-/:-@[-`{-~])/g, "")).join("");
    expect(visible.length).toBeGreaterThan(20);
    expect(visible.filter((word) => !letters.includes(word))).toEqual([]);
    expect(letters).not.toMatch(
      /dataLayer|Versteckt|neverShown|notshown|rowtemplate|Debugpanel|keywordkeyword/,
    );
  });
});

function visibleWords(html: string): string[] {
  const document = parseDocument(html);
  const hidden = DomUtils.filter((node) => "attribs" in node && isHidden(node), document);
  for (const node of hidden) DomUtils.removeElement(node);
  return [
    ...new Set(
      wordsOf(
        DomUtils.filter((node) => node.type === "text", document)
          .map(DomUtils.getText)
          .join(" "),
      ),
    ),
  ];
}

function isHidden({ name, attribs }: { name: string; attribs: Record<string, string> }): boolean {
  const byStyle = /display:\s*none|visibility:\s*hidden/.test(attribs.style ?? "");
  return HIDDEN.has(name) || "hidden" in attribs || byStyle || (name === "dialog" && !("open" in attribs));
}

const wordsOf = (text: string) => text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
