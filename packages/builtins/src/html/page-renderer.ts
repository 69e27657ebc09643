/** The output of each HTML element: one row per tag. The writer handles lines, this file HTML. */
import { BlockWriter, type Flow, type Mark } from "./block-writer.ts";
import { type Dialect, type Emphasis, linkTitle } from "./dialect.ts";
import { decodeText } from "./entity.ts";
import { type Attributes, type Element, HIDING_ATTRIBUTES, type Renderer, type Tag } from "./html-walker.ts";
import { linkTarget } from "./link-target.ts";
import { languageOf, Preformatted } from "./preformatted.ts";
import { TableRows } from "./table-rows.ts";
import { tagRule } from "./tag-rules.ts";

const MAX_TABLE_DEPTH = 6; // each level copies its cells once more

type PageElement = Element<PageTag>;

/** A tag with its handler. */
interface PageTag extends Tag {
  readonly handler: Handler;
}

interface Handler {
  readonly attributes?: readonly string[];
  open?(page: PageRenderer, element: PageElement): void;
  close?(page: PageRenderer, element: PageElement): void;
}

export class PageRenderer implements Renderer<PageTag> {
  readonly tagOf = pageTag;
  readonly writer: BlockWriter;
  readonly dialect: Dialect;
  readonly lists: { isOrdered: boolean; next: number }[] = [];
  readonly tables: TableRows[] = [];
  baseUrl: string | undefined;
  preformatted: Preformatted | undefined;
  /** Of the element around code, where highlighters put it. */
  language = "";
  title = "";
  inTitle = false;
  /** How many SVGs are open; a title in one is a label, not the page's. */
  drawings = 0;
  hasMainHeading = false;
  private readonly html: string;

  constructor(html: string, dialect: Dialect, baseUrl: string | undefined) {
    this.html = html;
    this.dialect = dialect;
    this.baseUrl = baseUrl;
    this.writer = new BlockWriter(dialect);
  }

  open(element: PageElement): void {
    if (this.preformatted) this.preformatted.open(element);
    else element.tag.handler.open?.(this, element);
  }

  close(element: PageElement): void {
    if (this.preformatted && element.tag.name !== this.preformatted.tag) this.preformatted.close(element);
    else element.tag.handler.close?.(this, element);
  }

  text(start: number, end: number): void {
    if (this.preformatted) this.preformatted.text(this.html.slice(start, end));
    else if (this.inTitle) this.title += decodeText(this.html.slice(start, end));
    else this.writer.text(this.html, start, end);
  }

  target(address: string | undefined): string | undefined {
    return linkTarget(address, this.baseUrl);
  }
}

const INLINE: Handler = {};
const BLOCK: Handler = {
  open: ({ writer }) => writer.breakLines(2),
  close: ({ writer }) => writer.breakLines(2),
};
const LINE: Handler = {
  open: ({ writer }) => writer.breakLines(1),
  close: ({ writer }) => writer.breakLines(1),
};
const SPACED: Handler = {
  open: ({ writer }) => writer.wantSpace(),
  close: ({ writer }) => writer.wantSpace(),
};

function emphasis(kind: Emphasis): Handler {
  return {
    open({ writer, dialect }, element) {
      const sign = dialect.emphasis[kind];
      if (sign === "" || writer.inCode || writer.hasMark(sign)) return;
      element.state = newMark(sign, sign, false);
      writer.openMark(element.state as Mark);
    },
    close: closeMark,
  };
}

const link: Handler = {
  attributes: ["href", "title", "aria-label"],
  open(page, element) {
    const target = page.dialect.links ? page.target(element.attributes.href) : undefined;
    if (target === undefined) return;
    element.state = newMark("[", `](${target}${linkTitle(element.attributes.title ?? "")})`, true);
    page.writer.openMark(element.state as Mark);
  },
  close(page, element) {
    const mark = element.state as Mark | undefined;
    if (!mark) return;
    page.writer.closeMark(mark);
    // The name of an icon link is in an attribute. A link to the page itself is dropped.
    const label = element.attributes["aria-label"] ?? element.attributes.title ?? "";
    if (mark.uses === 0 && !element.attributes.href?.trim().startsWith("#"))
      page.writer.inline(`[${label.replace(/[[\]\\]/g, "\\$&")}${mark.close}`);
  },
};

function closeMark({ writer }: PageRenderer, element: PageElement): void {
  if (element.state) writer.closeMark(element.state as Mark);
}

function newMark(open: string, close: string, isLink: boolean): Mark {
  return { open, close, isLink, uses: 0, isOpen: false };
}

const CODE_ATTRIBUTES = ["class", "data-lang", "data-language"];

const code: Handler = {
  attributes: CODE_ATTRIBUTES, // read where it stands in `<pre>`
  open: ({ writer }) => writer.startCode(),
  close: ({ writer }) => writer.endCode(),
};

const image: Handler = {
  attributes: ["src", "data-src", "alt", "title"],
  open(page, { attributes }) {
    const { src, alt = "", title = "", "data-src": lazySrc } = attributes;
    const target = page.target(src) ?? page.target(lazySrc) ?? /^data:[^;,]*/i.exec(src ?? "")?.[0] ?? "";
    const label = alt.replace(/\s+/g, " ").trim();
    if (target || label) page.writer.inline(page.dialect.image(label, target, title));
  },
};

function heading(level: number): Handler {
  return {
    open(page, element) {
      const { writer, dialect } = page;
      writer.breakLines(2);
      element.state = writer.push(dialect.heading(level), "");
      writer.startHeading();
      const table = page.tables.at(-1);
      if (table) table.isLayout = true;
    },
    close(page, element) {
      const { writer } = page;
      if (level === 1 && !writer.isFresh) page.hasMainHeading = true;
      writer.endHeading();
      if (element.state) writer.pop();
      writer.breakLines(2);
    },
  };
}

function list(isOrdered: boolean): Handler {
  return {
    attributes: isOrdered ? ["start"] : [],
    open({ writer, lists }, { attributes }) {
      writer.breakLines(lists.length > 0 ? 1 : 2);
      lists.push({ isOrdered, next: wholeNumber(attributes.start, 1) });
    },
    close({ writer, lists }) {
      lists.pop();
      writer.breakLines(2);
    },
  };
}

const item: Handler = {
  attributes: ["value"],
  open({ writer, lists }, element) {
    writer.breakLines(1);
    const inside = lists.at(-1);
    if (inside) inside.next = wholeNumber(element.attributes.value, inside.next);
    const bullet = inside?.isOrdered ? `${inside.next++}. ` : "- ";
    element.state = writer.push(bullet, " ".repeat(bullet.length));
  },
  close({ writer }, element) {
    if (element.state) writer.pop();
    writer.breakLines(1);
    writer.tighten();
  },
};

/** A quote or a definition: a prefix on every line, or on the first one only. */
function indented(first: (dialect: Dialect) => string, isQuote: boolean): Handler {
  const breaks = isQuote ? 2 : 1;
  return {
    open({ writer, dialect }, element) {
      writer.breakLines(breaks);
      const sign = first(dialect);
      element.state = writer.push(sign, isQuote ? sign : " ".repeat(sign.length));
    },
    close({ writer }, element) {
      if (element.state) writer.pop();
      writer.breakLines(breaks);
    },
  };
}

const preformatted: Handler = {
  attributes: CODE_ATTRIBUTES,
  open(page, element) {
    page.writer.breakLines(2);
    page.preformatted = new Preformatted(element, page.language, page.baseUrl);
  },
  close(page) {
    const { preformatted: content, writer, dialect } = page;
    page.preformatted = undefined;
    if (!content || content.isBlank) return;
    const table = page.tables.at(-1);
    if (table) table.isLayout = true;
    writer.block(dialect.fence(content.result(), content.language));
    if (dialect.links)
      for (const [target, label] of content.links) {
        writer.inline(`[${label}](${target})`);
        writer.wantSpace();
      }
    writer.breakLines(2);
  },
};

const table: Handler = {
  attributes: ["role"],
  open({ writer, tables }, element) {
    writer.breakLines(2);
    const around = tables.at(-1);
    if (around) around.isLayout = true;
    if (tables.length >= MAX_TABLE_DEPTH) return;
    element.state = new TableRows(/^(?:presentation|none)$/.test(element.attributes.role ?? ""));
    tables.push(element.state as TableRows);
  },
  close({ writer, tables, dialect }, element) {
    const rows = element.state as TableRows | undefined;
    if (!rows) return writer.breakLines(2);
    tables.pop();
    const data = rows.data();
    if (data) writer.block(dialect.table(data));
    else for (const content of rows.contents()) writer.block(content.split("\n"));
  },
};

const tableRow: Handler = {
  open: (page) => page.tables.at(-1)?.startRow(),
  close: (page) => page.tables.at(-1)?.endRow(),
};

/** A cell's content is written into a separate flow, which becomes one text. */
const cell: Handler = {
  attributes: ["colspan", "rowspan"],
  open({ writer, tables }, element) {
    if (tables.length === 0) writer.breakLines(1);
    else element.state = writer.begin();
  },
  close({ writer, tables }, { state, attributes: { colspan, rowspan } }) {
    if (!state) return writer.breakLines(1);
    tables.at(-1)?.add(writer.finish(state as Flow), wholeNumber(colspan, 1), wholeNumber(rowspan, 1));
  },
};

const highlighted: Handler = {
  attributes: ["class"],
  open(page, element) {
    page.writer.breakLines(2);
    const language = languageOf(element.attributes);
    if (language === "") return;
    element.state = { before: page.language };
    page.language = language;
  },
  close(page, element) {
    if (element.state) page.language = (element.state as { before: string }).before;
    page.writer.breakLines(2);
  },
};

const checkbox: Handler = {
  attributes: ["type", "checked"],
  open({ writer }, { attributes: { type, checked } }) {
    if (type !== "checkbox" || !writer.isFresh) return;
    writer.inline(checked === undefined ? "[ ]" : "[x]");
    writer.wantSpace();
  },
};

const pageTitle: Handler = {
  open: (page) => {
    page.inTitle = page.title === "" && page.drawings === 0;
  },
  close: (page) => {
    page.inTitle = false;
  },
};

const drawing: Handler = {
  open: (page) => {
    page.drawings++;
  },
  close: (page) => {
    page.drawings--;
  },
};

const base: Handler = {
  attributes: ["href"],
  open(page, { attributes: { href = "" } }) {
    page.baseUrl = URL.parse(href, page.baseUrl)?.href ?? page.baseUrl;
  },
};

const quotation: Handler = {
  open: ({ writer }) => writer.inline('"'),
  close: ({ writer }) => writer.inline('"'),
};
const lineBreak: Handler = { open: ({ writer }) => writer.lineBreak() };
const rule: Handler = { open: ({ writer, dialect }) => writer.block([dialect.rule]) };

const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ["a", link],
  ["b", emphasis("strong")],
  ["base", base],
  ["blockquote", indented((dialect) => dialect.quote, true)],
  ["br", lineBreak],
  ["button", SPACED],
  ["code", code],
  ["dd", indented((dialect) => (dialect.escapes ? ": " : "  "), false)],
  ["del", emphasis("strike")],
  ["dir", list(false)],
  ["div", highlighted],
  ["dt", { open: ({ writer }) => writer.breakLines(2), close: ({ writer }) => writer.breakLines(1) }],
  ["em", emphasis("em")],
  ["figure", highlighted],
  ...[1, 2, 3, 4, 5, 6].map((level): [string, Handler] => [`h${level}`, heading(level)]),
  ["hr", rule],
  ["i", emphasis("em")],
  ["img", image],
  ["input", checkbox],
  ["kbd", code],
  ["li", item],
  ["menu", list(false)],
  ["ol", list(true)],
  ["optgroup", LINE],
  ["option", LINE],
  ["pre", preformatted],
  ["q", quotation],
  ["s", emphasis("strike")],
  ["samp", code],
  ["strike", emphasis("strike")],
  ["strong", emphasis("strong")],
  ["svg", drawing],
  ["table", table],
  ["td", cell],
  ["textarea", SPACED],
  ["th", cell],
  ["title", pageTitle],
  ["tr", tableRow],
  ["tt", code],
  ["ul", list(false)],
  ["xmp", preformatted],
]);

const MAX_REMEMBERED_TAGS = 1_000; // made-up tag names must not fill the memory
const tags = new Map<string, PageTag>();

/** Looks up the name as written first: pages mostly use lower case. */
function pageTag(written: string): PageTag {
  return tags.get(written) ?? newTag(written.toLowerCase());
}

function newTag(name: string): PageTag {
  const known = tags.get(name);
  if (known) return known;
  const rule = tagRule(name);
  const handler = HANDLERS.get(name) ?? (rule.isBlock ? BLOCK : INLINE);
  const tag = { ...rule, handler, wanted: new Set([...HIDING_ATTRIBUTES, ...(handler.attributes ?? [])]) };
  if (tags.size < MAX_REMEMBERED_TAGS) tags.set(name, tag);
  return tag;
}

function wholeNumber(text: Attributes[string], fallback: number): number {
  if (text === undefined) return fallback;
  const number = Number.parseInt(text, 10);
  return Number.isSafeInteger(number) && number >= 0 && number < 1e9 ? number : fallback;
}
