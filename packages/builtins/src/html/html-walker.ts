/**
 * Walks HTML from start to end and calls a renderer for start tags, end tags and text; only the open elements are kept.
 * It uses htmlparser2's tokenizer instead of its parser: the tokenizer gives positions instead of strings, so
 * text is copied once, when it is written. Entities are left to the renderer, which reads every character anyway.
 */
import { decodeHTMLAttribute } from "entities";
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import type { TagRule } from "./tag-rules.ts";

// Browsers stop at 512; deeper elements keep their text and lose their formatting. Bounds every search for an open element.
const MAX_DEPTH = 256;

export type Attributes = Readonly<Partial<Record<string, string>>>;

/** A tag as the renderer knows it: its rule, and the attributes it reads; others are not copied. */
export interface Tag extends TagRule {
  readonly wanted: ReadonlySet<string>;
}

/** One open element. The renderer's state until it closes is stored here, not in a separate map. */
export interface Element<T extends Tag = Tag> {
  readonly tag: T;
  readonly attributes: Attributes;
  state: unknown;
}

export interface Renderer<T extends Tag> {
  /** The tag of a name in any case. */
  tagOf(name: string): T;
  open(element: Element<T>): void;
  close(element: Element<T>): void;
  text(start: number, end: number): void;
}

/** Attributes that can hide an element; read for every tag. */
export const HIDING_ATTRIBUTES: readonly string[] = ["hidden", "style", "open"];
const HIDING_STYLE = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
const NO_ATTRIBUTES: Attributes = {};

export function walkHtml<T extends Tag>(html: string, renderer: Renderer<T>): void {
  const tokenizer = new Tokenizer({ decodeEntities: false }, new Walker(html, renderer));
  tokenizer.write(html);
  tokenizer.end();
}

class Walker<T extends Tag> implements TokenizerCallbacks {
  private readonly html: string;
  private readonly renderer: Renderer<T>;
  private readonly stack: Element<T>[] = [];
  /** The depth at which a hidden element started; -1 outside. */
  private hiddenAt = -1;
  private openParagraphs = 0;
  private tag: T;
  private attributes: Record<string, string> | undefined;
  private attributeName = "";
  private attributeValue = "";

  constructor(html: string, renderer: Renderer<T>) {
    this.html = html;
    this.renderer = renderer;
    this.tag = renderer.tagOf("x");
  }

  ontext(start: number, end: number): void {
    if (this.hiddenAt === -1) this.renderer.text(start, end);
  }

  onopentagname(start: number, end: number): void {
    this.tag = this.renderer.tagOf(this.html.slice(start, end));
    this.attributes = undefined;
  }

  onattribname(start: number, end: number): void {
    const name = this.html.slice(start, end);
    this.attributeValue = "";
    this.attributeName = this.tag.wanted.has(name) ? name : this.inLowerCase(name);
  }

  onattribdata(start: number, end: number): void {
    if (this.attributeName) this.attributeValue += this.html.slice(start, end);
  }

  onattribend(): void {
    if (!this.attributeName) return;
    const { attributeName: name, attributeValue: value } = this;
    this.attributes ??= {};
    // The first of two attributes with the same name wins.
    if (!Object.hasOwn(this.attributes, name))
      this.attributes[name] = value.includes("&") ? decodeHTMLAttribute(value) : value;
  }

  onopentagend(): void {
    const { tag, attributes = NO_ATTRIBUTES } = this;
    if (tag.ends.size > 0) this.endOthers(tag);
    const element: Element<T> = { tag, attributes, state: undefined };
    const isHidden = this.hiddenAt !== -1;
    if (!isHidden && hides(tag, attributes)) {
      if (tag.isVoid) return;
      this.hiddenAt = this.stack.length;
    }
    if (tag.isVoid) {
      if (!isHidden) this.renderer.open(element);
    } else if (this.stack.length < MAX_DEPTH || this.hiddenAt === this.stack.length) this.push(element);
  }

  /** HTML ignores the slash of `<p/>`; inside SVG it matters, but only text is shown there. */
  onselfclosingtag(): void {
    this.onopentagend();
    if (!this.tag.isVoid && FOREIGN.has(this.tag.name)) this.closeNamed(this.tag);
  }

  onclosetag(start: number, end: number): void {
    const tag = this.renderer.tagOf(this.html.slice(start, end));
    if (tag.name !== "br") this.closeNamed(tag);
    else if (this.hiddenAt === -1) this.renderer.open({ tag, attributes: NO_ATTRIBUTES, state: undefined });
  }

  onend(): void {
    while (this.stack.length > 0) this.pop();
  }

  oncdata(start: number, end: number, endOffset: number): void {
    this.ontext(start, end - endOffset);
  }

  onattribentity(): void {}
  ontextentity(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}

  private inLowerCase(name: string): string {
    const lower = /[A-Z]/.test(name) ? name.toLowerCase() : name;
    return this.tag.wanted.has(lower) ? lower : "";
  }

  private endOthers({ ends, endsWithin, endsParagraphOnly }: TagRule): void {
    if (endsParagraphOnly && this.openParagraphs === 0) return;
    let lowest = -1;
    for (let at = this.stack.length - 1; at >= 0; at--) {
      const name = this.stack[at]?.tag.name ?? "";
      if (ends.has(name)) lowest = at;
      else if (endsWithin.has(name)) break;
    }
    if (lowest !== -1) while (this.stack.length > lowest) this.pop();
  }

  private closeNamed({ name, closesWithin }: TagRule): void {
    for (let at = this.stack.length - 1; at >= 0; at--) {
      const open = this.stack[at]?.tag.name ?? "";
      if (open === name) {
        while (this.stack.length > at) this.pop();
        return;
      }
      if (closesWithin.has(open)) return;
    }
  }

  private push(element: Element<T>): void {
    this.stack.push(element);
    if (element.tag.name === "p") this.openParagraphs++;
    if (this.hiddenAt === -1) this.renderer.open(element);
  }

  private pop(): void {
    const element = this.stack.pop();
    if (element?.tag.name === "p") this.openParagraphs--;
    if (this.hiddenAt === this.stack.length) this.hiddenAt = -1;
    else if (element && this.hiddenAt === -1) this.renderer.close(element);
  }
}

const FOREIGN: ReadonlySet<string> = new Set(
  "svg path circle rect line polyline polygon ellipse use g defs stop image text tspan title mspace mi mo mn".split(
    " ",
  ),
);

function hides({ name, isHidden }: TagRule, { hidden, style, open }: Attributes): boolean {
  if (isHidden || (hidden !== undefined && hidden !== "until-found")) return true;
  if (style !== undefined && HIDING_STYLE.test(style)) return true;
  return name === "dialog" && open === undefined;
}
