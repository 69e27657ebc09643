import { describe, expect, test } from "vitest";
import { htmlToMarkdown } from "./html-to-markdown.ts";

const lines = (...all: string[]) => all.join("\n");

describe("htmlToMarkdown", () => {
  test.each([
    ["headings", "<h1>One</h1><h2>Two</h2><h6>Six</h6>", "# One\n\n## Two\n\n###### Six"],
    ["a heading on several lines", "<h2>a<br>b <div>c</div></h2>text", "## a b c\n\ntext"],
    [
      "code in a heading",
      "<h2>a <code>b<div>c</div></code><pre>d</pre>e</h2>",
      "## a `b` `c`\n\n```\nd\n```\n\ne",
    ],
    ["an empty heading", "<h2> </h2><p>a", "a"],
    ["paragraphs", "<p>a</p>\n<p>b\n  c</p>", "a\n\nb c"],
    ["line breaks", "a<br>b<br><br>c<br>", "a  \nb\n\nc"],
    ["a rule", "a<hr>b", "a\n\n---\n\nb"],
    ["emphasis", "<b>a</b> <strong>b</strong> <i>c</i> <em>d</em> <del>e</del>", "**a** **b** *c* *d* ~~e~~"],
    ["spaces inside emphasis", "x<b> a </b>y", "x **a** y"],
    ["emphasis within emphasis", "<b><strong>a <i>b</i></strong></b>", "**a *b***"],
    ["emphasis around blocks", "<b><p>a</p><p>b</p></b>", "**a**\n\n**b**"],
    ["empty emphasis", "a<b></b><i> </i>b", "a b"],
    ["inline code", "<code>a *b*</code> <kbd>c</kbd>", "`a *b*` `c`"],
    ["code with backticks", "<code>a`b</code> <code>`</code>", "``a`b`` `` ` ``"],
    ["a link in code", '<code>Vec&lt;<a href="/t">T</a>></code>', "`Vec<`[`T`](/t)`>`"],
    ["a quotation", "<q>a</q>", '"a"'],
    ["options", "<select><option>a<option>b</select>", "a\nb"],
    ["definitions", "<dl><dt>a<dd>b<dd>c<dt>d<dd>e</dl>", "a\n: b\n: c\n\nd\n: e"],
    ["tasks", "<ul><li><input type=checkbox checked> a<li><input type=checkbox>b</ul>", "- [x] a\n- [ ] b"],
    ["ruby", "<ruby>漢<rp>(<rt>kan<rp>)</ruby>", "漢(kan)"],
  ])("%s", (_, html, markdown) => {
    expect(htmlToMarkdown(html)).toBe(markdown);
  });

  test.each([
    ["nested", "<ul><li>a<ul><li>b<ol><li>c</ol></ul><li>d</ul>", lines("- a", "  - b", "    1. c", "- d")],
    ["of paragraphs", "<ul><li><p>a</p><p>b</p></li><li><p>c</p></li></ul>", lines("- a", "", "  b", "- c")],
    ["numbered from 9", "<ol start=9><li>a<li>b<li value=20>c</ol>", lines("9. a", "10. b", "20. c")],
    [
      "with code",
      "<ol><li>a<pre>x\ny</pre>b</ol>",
      lines("1. a", "", "   ```", "   x", "   y", "   ```", "", "   b"),
    ],
    ["after text", "a<ul><li>b</ul>c", lines("a", "", "- b", "", "c")],
    ["with empty items", "<ul><li></li><li>a</li><li> </li></ul>", "- a"],
    ["without a list", "<li>a<li>b", lines("- a", "- b")],
    ["right inside a list", "<ul><li>a</li><ul><li>b</li></ul></ul>", lines("- a", "- b")],
  ])("a list %s", (_, html, markdown) => {
    expect(htmlToMarkdown(html)).toBe(markdown);
  });

  test.each([
    ["", "<blockquote><p>a</p><p>b</p></blockquote>c", lines("> a", ">", "> b", "", "c")],
    [
      " in a quote",
      "a<blockquote>b<blockquote>c</blockquote></blockquote>",
      lines("a", "", "> b", ">", "> > c"),
    ],
    [
      " with a list and code",
      "<blockquote><ul><li>a</ul><pre>b</pre></blockquote>",
      lines("> - a", ">", "> ```", "> b", "> ```"),
    ],
    [" next to another", "<blockquote>a</blockquote><blockquote>b</blockquote>", lines("> a", "", "> b")],
    [" in a list", "<ul><li><blockquote>a<br>b</blockquote></ul>", lines("- > a  ", "  > b")],
  ])("a quote%s", (_, html, markdown) => {
    expect(htmlToMarkdown(html)).toBe(markdown);
  });

  test.each([
    ["<pre><code class='language-js'>a &lt; b\n  c\n</code></pre>", "```js\na < b\n  c\n```"],
    ["<pre class='lang-py'>\nx\n\n</pre>", "```py\nx\n```"],
    ["<pre data-lang=Rust>x</pre>", "```rust\nx\n```"],
    ["<pre class='brush: css; x'>x</pre>", "```css\nx\n```"],
    [
      "<div class='highlight highlight-source-ts'><pre>x</pre></div><pre>y</pre>",
      "```ts\nx\n```\n\n```\ny\n```",
    ],
    [
      "<div class='language-go highlighter-rouge'><div class=highlight><pre><code>x</code></pre></div></div>",
      "```go\nx\n```",
    ],
    ["<pre>a\n```\nb</pre>", "````\na\n```\nb\n````"],
    ["<pre><div>a</div><div>b</div>c<br>d</pre>", "```\na\nb\nc\nd\n```"],
    ["<pre>  \n </pre>a", "a"],
    ["<pre>a <a href='/t'>T</a>\n<a href='#l'>1</a></pre>", "```\na T\n1\n```\n\n[T](/t)"],
    ["<xmp>a<b>&amp;</b></xmp>", "```\na<b>&amp;</b>\n```"],
  ])("code block %s", (html, markdown) => {
    expect(htmlToMarkdown(html)).toBe(markdown);
  });

  test.each([
    ["<a href='/a'>x</a>", "[x](/a)"],
    ["<a href='/a' title='T \"q\"'>x</a>", '[x](/a "T \\"q\\"")'],
    ["<a href='a b(c'>x</a>", "[x](a%20b%28c)"],
    ["<a href='/Foo_(bar)'>x</a>", "[x](/Foo_(bar))"],
    ["<a href='javascript:go()'>x</a><a>y</a><a href=''>z</a>", "xyz"],
    ["<a href='/a'><h3>T</h3><p>d</p></a>", "### [T](/a)\n\n[d](/a)"],
    ["<a href='/a'><img src=i.png alt='[i]'></a>", "[![\\[i\\]](i.png)](/a)"],
    ["<a href='/a' aria-label='Home'><svg><path/></svg></a>", "[Home](/a)"],
    ["<a href='/a'></a>b<a href='#x'></a>", "[](/a)b"],
    ["<a href='/a'>x [1]</a>", "[x \\[1\\]](/a)"],
    ["<a href='/a'>x<a href='/b'>y</a>", "[x](/a)[y](/b)"],
    ["<b><a href='/a'>x</a></b>", "**[x](/a)**"],
    [
      "<img src='data:image/png;base64,AAAA' alt=p><img src=data:x data-src=/r.png>",
      "![p](data:image/png)![](/r.png)",
    ],
    ["<img><img alt=''>a", "a"],
  ])("link or image %s", (html, markdown) => {
    expect(htmlToMarkdown(html)).toBe(markdown);
  });

  test("relative URLs are resolved against the page's address or its base", () => {
    const html =
      "<a href='../b?c#d'>x</a> <img src='/i.png'> <a href='#e'>y</a> <a href='mailto:a@b.c'>z</a>";
    const rest = "[y](#e) [z](mailto:a@b.c)";
    expect(htmlToMarkdown(html, { baseUrl: "https://h.example/p/q/" })).toBe(
      `[x](https://h.example/p/b?c#d) ![](https://h.example/i.png) ${rest}`,
    );
    expect(htmlToMarkdown(`<base href='//cdn.example/'>${html}`, { baseUrl: "https://h.example/p/q/" })).toBe(
      `[x](https://cdn.example/b?c#d) ![](https://cdn.example/i.png) ${rest}`,
    );
  });

  test.each([
    [
      "plain",
      "<table><tr><th>a<th>b<tr><td>1<td>2</table>",
      lines("| a | b |", "| --- | --- |", "| 1 | 2 |"),
    ],
    [
      "with bars and breaks",
      "<table><tr><td>a|b<td><code>c|d</code><br>e</table>",
      lines("| a\\|b | `c\\|d`<br>e |", "| --- | --- |"),
    ],
    [
      "with spans",
      "<table><tr><td rowspan=2>a<td>b<tr><td>c<tr><td colspan=2>d<td>e</table>",
      lines("| a | b |  |", "| --- | --- | --- |", "|  | c |", "| d |  | e |"),
    ],
    [
      "with a list in a cell",
      "<table><tr><td>a<td><ul><li>b<li>c</ul></table>",
      lines("| a | - b<br>- c |", "| --- | --- |"),
    ],
    [
      "with a caption",
      "<table><caption>T</caption><tr><td>a<td>b</table>c",
      lines("T", "", "| a | b |", "| --- | --- |", "", "c"),
    ],
    [
      "that arranges a page",
      "<table><tr><td><table><tr><td>a<td>b</table><td><h2>c</h2>d</table>",
      lines("| a | b |", "| --- | --- |", "", "## c", "", "d"),
    ],
    ["of one column", "<table><tr><td>a<tr><td>b</table>", "a\n\nb"],
    ["with code", "<table><tr><td>1<td><pre>x\ny</pre></table>", lines("1", "", "```", "x", "y", "```")],
    ["marked as layout", "<table role=presentation><tr><td>a<td>b</table>", "a\n\nb"],
    [
      "with bold around it",
      "<b><table><tr><td>a<td>b</table></b>",
      lines("| **a** | **b** |", "| --- | --- |"),
    ],
    [
      "in a list",
      "<ul><li>x<table><tr><td>a<td>b</table></ul>",
      lines("- x", "", "  | a | b |", "  | --- | --- |"),
    ],
    [
      "in sections",
      "<table><thead><tr><th>a<th>b<tbody><tr><td>1<td>2<tfoot><tr><td>3<td>4</table>",
      lines("| a | b |", "| --- | --- |", "| 1 | 2 |", "| 3 | 4 |"),
    ],
  ])("table %s", (_, html, markdown) => {
    expect(htmlToMarkdown(html)).toBe(markdown);
  });

  test.each([
    ["scripts and styles", "a<script>'<b>'</script><style>p{}</style>b", "ab"],
    ["templates", "a<template><p>x</p></template>b", "ab"],
    ["hidden elements", "a<p hidden>x<p>b<div HIDDEN><div>y</div>z</div>c", "a\n\nb\n\nc"],
    [
      "what a style hides",
      "a<span style='color:red; display:none'>x</span><i style='VISIBILITY : hidden'>y</i>b",
      "ab",
    ],
    ["closed dialogs", "a<dialog>x</dialog><dialog open>b</dialog>", "a\n\nb"],
    ["comments and declarations", "<!doctype html><!-- x --><![if IE]>a<![endif]><?php y ?>", "a"],
    ["players and frames", "a<video>x</video><iframe src=y>z</iframe><canvas>w</canvas>b", "ab"],
    ["hidden images", "a<img hidden src=x>b", "ab"],
  ])("leaves out %s", (_, html, markdown) => {
    expect(htmlToMarkdown(html)).toBe(markdown);
  });

  test("shows noscript content", () => {
    expect(htmlToMarkdown("<noscript><p>Please <b>read</b></p></noscript>")).toBe("Please **read**");
  });

  test.each([
    ["&amp; &lt;b&gt; &quot; &#39; &#x2014; &hellip; &nbsp;x", "& \\<b> \" ' — … x"],
    ["&copy 2020 &zzzz; &", "© 2020 &zzzz; &"],
    ["AT&T R&D a&b;", "AT&T R&D a&b;"],
    ["&amp;lt; &amp;amp", "\\&lt; &amp"],
    ["<a href='?a=1&amp;b=2&lang=en'>x</a>", "[x](?a=1&b=2&lang=en)"],
    ["&#128512; &#0; &#xD800;", "😀 \ufffd \ufffd"],
  ])("entities: %s", (html, markdown) => {
    expect(htmlToMarkdown(html)).toBe(markdown);
  });

  test.each([
    ["*a* _b_ `c` snake_case 2 * 3 a*b", "\\*a\\* \\_b\\_ \\`c\\` snake_case 2 * 3 a\\*b"],
    [
      "<p>1. a<p>- b<p># c<p>> d<p>+ e<p>1.5 f<p>-g<p>#h",
      "1\\. a\n\n\\- b\n\n\\# c\n\n\\> d\n\n\\+ e\n\n1.5 f\n\n-g\n\n#h",
    ],
    ["[a](b) [1] a[i]", "[a\\](b) [1] a[i]"],
    ["C:\\dir \\* a\\", "C:\\dir \\\\\\* a\\"],
    ["~~a~~ ~b", "\\~\\~a\\~\\~ ~b"],
  ])("text that looks like Markdown stays text: %s", (html, markdown) => {
    expect(htmlToMarkdown(html)).toBe(markdown);
  });

  test.each([
    ["unclosed tags", "<p>a <b>b<p>c", "a **b**\n\nc"],
    ["crossed tags", "<b>a<i>b</b>c</i>", "**a*b***c"],
    ["stray ends", "</div>a</p></b></td>b", "ab"],
    [
      "an end tag that reaches out of a cell",
      "<div><table><tr><td>a</div>b<td>c</table></div>d",
      "| ab | c |\n| --- | --- |\n\nd",
    ],
    ["a lone less-than", "a < b <3 c", "a < b <3 c"],
    ["a tag that never ends", "a <b", "a"],
    ["an attribute that never ends", "a <a href='x>b", "a"],
    ["a line break that closes", "a</br>b", "a  \nb"],
    ["upper case", "<P>a<BR>b<A HREF='/X'>c</A>", "a  \nb[c](/X)"],
    ["a cell without a table", "<td>a<td>b", "a\nb"],
    ["twice the same attribute", "<a href=/a href=/b>x</a>", "[x](/a)"],
    ["nothing", " \n ", ""],
  ])("broken markup: %s", (_, html, markdown) => {
    expect(htmlToMarkdown(html)).toBe(markdown);
  });

  test("the title is the heading of a page without a main heading", () => {
    expect(htmlToMarkdown("<title>A &amp; B</title><p>x")).toBe("# A & B\n\nx");
    expect(htmlToMarkdown("<title>A</title><h1>C</h1>x")).toBe("# C\n\nx");
    expect(htmlToMarkdown("<title>A</title><h1></h1>x")).toBe("# A\n\nx");
    expect(htmlToMarkdown("<a href=/x><svg><title>icon</title></svg></a>y")).toBe("[icon](/x)y");
  });
});
