import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { htmlToMarkdown, htmlToText } from "./html-to-markdown.ts";

describe("htmlToText", () => {
  test.each([
    ["<h1>Tides</h1><p>High <b>at</b> <a href='/n'>noon</a>", "Tides\n\nHigh at noon"],
    ["<ul><li>a<ol><li>b</ol></ul>", "- a\n  1. b"],
    ["<table><tr><th>a<th>b<tr><td>1<br>2<td>3</table>", "a\tb\n1 2\t3"],
    ["<pre>  x &lt;\n y</pre>", "  x <\n y"],
    ["*a* _b_ 1. &lt;i&gt; [x](y)", "*a* _b_ 1. <i> [x](y)"],
    ["<img src=i.png alt='A boat'>", "A boat"],
    ["<blockquote>a<br>b</blockquote>", "  a\n  b"],
    ["a<script>x</script><span hidden>y</span>b", "ab"],
    ["<title>T</title>a", "T\n\na"],
  ])("reads %s as %j", (html, text) => {
    expect(htmlToText(html)).toBe(text);
  });
});

describe("any input", () => {
  const name = fc.constantFrom(
    ..."div p b i a code pre ul ol li table tr td th blockquote h1 h2 span br img dl dt dd select option q del".split(
      " ",
    ),
  );
  const { page } = fc.letrec<{ page: string; node: string; element: string }>((tie) => ({
    page: fc.array(tie("node"), { maxLength: 8 }).map((nodes) => nodes.join("")),
    node: fc.oneof({ depthSize: "small" }, fc.constantFrom("@", " @ ", "@\n@", "&amp;", " "), tie("element")),
    element: fc
      .tuple(
        name,
        tie("page"),
        fc.constantFrom("", " href='/x'", " class=language-js", " colspan=3", " rowspan=2"),
      )
      .map(([tag, inner, attributes]) => `<${tag}${attributes}>${inner}</${tag}>`),
  }));

  test("every word of a page is kept, once, and in order outside tables", () => {
    fc.assert(
      fc.property(page, (template) => {
        let count = 0;
        const html = template.replaceAll("@", () => `w${count++}w`);
        const words = Array.from({ length: count }, (_, index) => `w${index}w`);
        // Text in a table but outside its cells comes before the table, as in browsers.
        const inOrder = (found: readonly string[]) => (html.includes("<table") ? found.toSorted() : found);
        // Links in code are listed again after it.
        expect(inOrder([...new Set(htmlToMarkdown(html).match(/w\d+w/g))])).toEqual(inOrder(words));
        expect(inOrder(htmlToText(html).match(/w\d+w/g) ?? [])).toEqual(inOrder(words));
      }),
      { numRuns: 2_000 },
    );
  });

  test("tag soup never breaks the conversion, and the result does not outgrow the page", () => {
    const soup = fc.array(
      fc.oneof(
        name.map((tag) => `<${tag}>`),
        name.map((tag) => `</${tag}>`),
        fc.constantFrom(
          "x",
          "&",
          "<",
          "<!--",
          "-->",
          "<a href='",
          "'>",
          "\0",
          "<script>",
          "</script>",
          "<p hidden>",
          "`",
          "]",
        ),
        fc.string({ unit: "binary", maxLength: 5 }),
      ),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(soup, (pieces) => {
        const html = pieces.join("");
        expect(htmlToMarkdown(html).length).toBeLessThan(40 * html.length + 40);
        expect(htmlToText(html).length).toBeLessThan(40 * html.length + 40);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ["unclosed emphasis", "<b>".repeat(50_000)],
    ["stray ends", `<i><table><td>${"<b>".repeat(20_000)}${"</i>".repeat(20_000)}`],
    ["nested quotes", "<blockquote>x".repeat(20_000)],
    ["lines in nested quotes", "<blockquote>".repeat(200).concat("<p>x".repeat(10_000))],
    ["nested lists", "<ul><li>x".repeat(20_000)],
    ["nested tables", "<table><tr><td>x".repeat(20_000)],
    ["a link around a page", `<a href='/${"y".repeat(10_000)}'>${"<p>x".repeat(10_000)}</a>`],
    ["wide cells", "<table><tr>".concat("<td colspan=1000 rowspan=1000>x".repeat(2_000))],
    ["wide tables", `<table><tr>${"<td>x".repeat(5_000)}${"<tr><td>x".repeat(5_000)}</table>`],
    ["code in pieces", `<pre>${"<div>x</div>".repeat(30_000)}`],
    ["linked code", `<pre>${"<a href='/x'>x</a>".repeat(30_000)}`],
    ["ampersands", "&".repeat(300_000)],
    ["brackets", "[".repeat(300_000)],
    ["backslashes in a cell", `<table><tr><td>a<td>${"\\".repeat(100_000)}</table>`],
    ["half a tag", "<a ".repeat(100_000)],
    ["attributes", `<a ${"x=y ".repeat(100_000)}>z`],
  ])("a hostile page of %s stays within time and size limits", (_, html) => {
    expect(htmlToMarkdown(html).length).toBeLessThan(40 * html.length);
    expect(htmlToText(html).length).toBeLessThan(40 * html.length);
  });
});
