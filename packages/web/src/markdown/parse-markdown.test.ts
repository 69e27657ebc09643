import fc from "fast-check";
import type { Token, Tokens } from "marked";
import { describe, expect, test } from "vitest";
import { decodeEntities, imageSource, isStudioPage, parseMarkdown, safeHref } from "./parse-markdown.ts";

describe("markdown", () => {
  test.each([
    ["plain words", "plain words", "p(plain words)"],
    ["two lines of one paragraph", "a\nb", "p(a br b)"],
    ["paragraphs", "a\n\nb", "p(a) p(b)"],
    ["snake_case_names as they are", "snake_case_names", "p(snake_case_names)"],
    ["a numbered list with its start", "3. a\n4. b", "ol3(text(a) | text(b))"],
    ["a task list", "- [ ] a\n- [x] b", "ul(todo text(a) | done text(b))"],
    [
      "a table with its alignment",
      "| a | b |\n|:--|--:|\n| 1 | 2 |",
      "table(left:a right:b / left:1 right:2)",
    ],
    ["a fence that is still open", "```ts\nhalf", "pre.ts(half)"],
    ["a table that is still being written", "| a | b |\n|---|--", "table(null:a null:b)"],
    ["a formula in a sentence", "so $x^2$ grows", "p(so  math(x^2)  grows)"],
    ["a formula in parentheses", "so \\(x^2\\) grows", "p(so  math(x^2)  grows)"],
    ["a formula on its own", "$$\nx^2\n$$", "MATH(x^2)"],
    [
      "a display formula within a line",
      "$$E = mc^2$$ and $a_1$ hold",
      "p(math(E = mc^2)  and  math(a_1)  hold)",
    ],
    ["a display formula in brackets within a line", "so \\[x^2\\] grows", "p(so  math(x^2)  grows)"],
    ["a formula on its own after a line", "It is:\n$$\nx^2\n$$", "p(It is:) MATH(x^2)"],
    ["prices as prices", "costs $5 and $6, or $7-$8", "p(costs $5 and $6, or $7-$8)"],
  ])("reads %s", (_, source, shape) => {
    expect(parseMarkdown(source).map(shapeOf).filter(Boolean).join(" ")).toBe(shape);
  });

  test("takes any text without a fault", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (source) => {
        expect(parseMarkdown(source)).toBeInstanceOf(Array);
      }),
    );
  });

  test("shows text as it is where quotes are nested beyond reason", () => {
    const source = "> ".repeat(20_000);
    expect(parseMarkdown(source)).toEqual([{ type: "text", raw: source, text: source }]);
  });

  test.each(["javascript:alert(1)", "data:text/html,x", "//evil.example", "/v1/keys", "vbscript:x"])(
    "makes no link to %s",
    (href) => {
      expect(safeHref(href)).toBeUndefined();
    },
  );

  test("leads to the page where a key is added, and to no other of the studio", () => {
    const pages = ["/settings/models", "/settings/keys", "/settings/models?x=1", "/settings/models/../keys"];
    expect(pages.filter(isStudioPage)).toEqual(["/settings/models"]);
  });

  test.each([
    ["chart.png", { kind: "file", path: "/chart.png" }],
    ["./out/a%20b.png", { kind: "file", path: "/out/a b.png" }],
    ["/chart.png", { kind: "file", path: "/chart.png" }],
    ["https://a.example/x.png", { kind: "remote", href: "https://a.example/x.png" }],
    ["data:image/png;base64,AAAA", { kind: "data", src: "data:image/png;base64,AAAA" }],
    ["data:text/html;base64,AAAA", undefined],
    ["javascript:alert(1)", undefined],
    ["//evil.example/x.png", undefined],
  ])("takes the picture %s from %j", (href, source) => {
    expect(imageSource(href)).toEqual(source);
  });

  test("reads entities as the characters they stand for, each once", () => {
    expect(decodeEntities("&lt;b&gt; &amp;lt; &#65;&#x42; &unknown; &#0;")).toBe(
      "<b> &lt; AB &unknown; &#0;",
    );
  });
});

function shapeOf(token: Token): string {
  const inner = (tokens: readonly Token[] | undefined) => (tokens ?? []).map(shapeOf).join(" ");
  switch (token.type) {
    case "paragraph":
      return `p(${inner(token.tokens)})`;
    case "list": {
      const { ordered, start, items } = token as Tokens.List;
      return `${ordered ? `ol${start}` : "ul"}(${items.map(({ tokens }) => inner(tokens)).join(" | ")})`;
    }
    case "checkbox":
      return token.checked ? "done" : "todo";
    case "table": {
      const { header, rows } = token as Tokens.Table;
      const row = (cells: Tokens.TableCell[]) => cells.map(({ align, text }) => `${align}:${text}`).join(" ");
      return `table(${[header, ...rows].map(row).join(" / ")})`;
    }
    case "code":
      return `pre.${token.lang}(${token.text})`;
    case "math":
      return `${token.display ? "MATH" : "math"}(${token.text})`;
    case "space":
      return "";
    case "text":
      return token.tokens ? `text(${inner(token.tokens)})` : token.text;
    default:
      return token.type;
  }
}
