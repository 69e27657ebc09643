import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Block, parseBlocks } from "./blocks.ts";
import type { Inline } from "./inline.ts";

describe("markdown", () => {
  test.each([
    ["plain words", "plain words", "p(plain words)"],
    ["two lines of one paragraph", "a\nb", "p(a⏎b)"],
    ["paragraphs", "a\n\nb", "p(a) p(b)"],
    ["a heading", "## Tides #", "h2(Tides)"],
    ["a rule", "a\n\n---\n\nb", "p(a) hr p(b)"],
    ["bold, italic and struck", "**a** *b* _c_ ~~d~~", "p(b(a) i(b) i(c) s(d))"],
    ["code", "use `a*b*` now", "p(use code(a*b*) now)"],
    ["code with a backtick", "``a`b``", "p(code(a`b))"],
    ["snake_case_names as they are", "snake_case_names", "p(snake_case_names)"],
    ["a lone star as it is", "2 * 3 = 6", "p(2 * 3 = 6)"],
    ["an escaped star", "\\*a\\*", "p(*a*)"],
    ["a link", "[tides](https://a.b/c)", "p(link(https://a.b/c tides))"],
    [
      "a bare address without its full stop",
      "see https://a.b/c.",
      "p(see link(https://a.b/c https://a.b/c).)",
    ],
    ["a picture as its link", "![map](https://a.b/m.png)", "p(link(https://a.b/m.png map))"],
    ["a list", "- a\n- b", "ul(p(a) | p(b))"],
    ["a numbered list", "3. a\n4. b", "ol3(p(a) | p(b))"],
    ["a list in a list", "- a\n  - b\n- c", "ul(p(a) ul(p(b)) | p(c))"],
    ["a list after a line", "items:\n- a", "p(items:) ul(p(a))"],
    ["a quote", "> a\n> b", "q(p(a⏎b))"],
    ["a fence", "```ts\nconst a = 1;\n\nb\n```\nend", "pre.ts(const a = 1;\n\nb) p(end)"],
    ["a fence that is still open", "```\nhalf", "pre.(half)"],
    ["a table", "| a | b |\n|---|---|\n| 1 | **2** |", "table(a, b / 1, b(2))"],
  ])("reads %s", (_, source, shape) => {
    expect(shapeOf(parseBlocks(source))).toBe(shape);
  });

  test.each(["<script>alert(1)</script>", "<img src=x onerror=y>"])("takes %s for text", (source) => {
    expect(parseBlocks(source)).toEqual([{ type: "paragraph", children: [{ type: "text", text: source }] }]);
  });

  test.each(["javascript:alert(1)", "data:text/html,x", "//evil.example", "/v1/keys"])(
    "keeps the words of a link to %s and drops the address",
    (href) => {
      expect(JSON.stringify(parseBlocks(`[click](${href})`))).not.toContain(href);
    },
  );

  test("takes any text without a fault", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (source) => void parseBlocks(source)));
  });

  test("loses no word, whatever marks stand around it", () => {
    const mark = fc.constantFrom(
      ...["**", "*", "_", "`", "```", "~~", "\n", "\n\n", "- ", "> ", "|", "|--|", "[", "]"],
    );
    const word = fc.constantFrom("tide", "keel", "mast");
    fc.assert(
      fc.property(fc.array(fc.oneof(mark, word)), (parts) => {
        const shown = shapeOf(parseBlocks(parts.join("")));
        const isWord = (part: string) => /\w/.test(part) && part !== "_";
        expect(shown.match(/tide|keel|mast/g) ?? []).toHaveLength(parts.filter(isWord).length);
      }),
    );
  });

  test("takes tens of thousands of open marks within its time", () => {
    const sources = ["*", "_a", "`", "[", "**a", "> ", "- a\n", "[a](", "~~"].map((mark) =>
      mark.repeat(30_000),
    );
    for (const source of sources) expect(parseBlocks(source)).not.toHaveLength(0); // quadratic: minutes
  });
});

const shapeOf = (blocks: readonly Block[]): string => blocks.map(blockShape).join(" ");

function blockShape(block: Block): string {
  switch (block.type) {
    case "heading":
      return `h${block.level}(${words(block.children)})`;
    case "paragraph":
      return `p(${words(block.children)})`;
    case "code":
      return `pre.${block.language}(${block.text})`;
    case "quote":
      return `q(${shapeOf(block.blocks)})`;
    case "list":
      return `${block.ordered ? `ol${block.start}` : "ul"}(${block.items.map(shapeOf).join(" | ")})`;
    case "table":
      return `table(${[block.head, ...block.rows].map((row) => row.map(words).join(", ")).join(" / ")})`;
    default:
      return "hr";
  }
}

const TAGS = { strong: "b", emphasis: "i", strike: "s" } as const;

function words(children: readonly Inline[]): string {
  return children
    .map((node) => {
      if (node.type === "text") return node.text;
      if (node.type === "code") return `code(${node.text})`;
      if (node.type === "break") return "⏎";
      if (node.type === "link") return `link(${node.href} ${words(node.children)})`;
      return `${TAGS[node.type]}(${words(node.children)})`;
    })
    .join("");
}
