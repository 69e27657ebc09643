/**
 * Walks HTML from start to end and tells a renderer what opens, what closes and what is text; nothing is kept but the open
 * elements. It works on htmlparser2's tokenizer and not on its parser: the tokenizer gives positions instead of strings, so
 * text is copied once, when it is written. Entities are left to the renderer, which reads every character anyway.
 */
import { decodeHTMLAttribute } from "entities";
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { type TagRule, tagRule } from "./tag-rules.ts";

// Browsers stop at 512; what is nested deeper keeps its text and loses its form. It bounds every search for an open element.
const MAX_DEPTH = 256;

export type Attributes = Readonly<Partial<Record<string, string>>>;

/** One open element. What a renderer must remember until it closes is kept here, not in a map beside it. */
export interface Element<State = unknown> {
  readonly rule: TagRule;
  readonly attributes: Attributes;
  state: State | undefined;
}

export interface Renderer {
  /** The attributes the renderer reads, by tag; others are not even copied. */
  readonly wanted: ReadonlyMap<string, ReadonlySet<string>>;
  open(element: Element): void;
  close(element: Element): void;
  text(start: number, end: number): void;
}

const HIDING_ATTRIBUTES: ReadonlySet<string> = new Set(["hidden", "style", "open"]);
const HIDING_STYLE = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
const NO_ATTRIBUTES: Attributes = {};
const rules = new Map<string, TagRule>();

export function walkHtml(html: string, renderer: Renderer): void {
  const tokenizer = new Tokenizer({ decodeEntities: false }, new Walker(html, renderer));
  tokenizer.write(html);
  tokenizer.end();
}

class Walker implements TokenizerCallbacks {
  private readonly html: string;
  private readonly renderer: Renderer;
  private readonly stack: Element[] = [];
  /** How many elements are open where a hidden one began; -1 outside. */
  private hiddenAt = -1;
  private rule: TagRule = ruleOf("x");
  private wanted: ReadonlySet<string> = HIDING_ATTRIBUTES;
  private attributes: Record<string, string> | undefined;
  private attributeName = "";
  private attributeValue = "";

  constructor(html: string, renderer: Renderer) {
    this.html = html;
    this.renderer = renderer;
  }

  ontext(start: number, end: number): void {
    if (this.hiddenAt === -1) this.renderer.text(start, end);
  }

  onopentagname(start: number, end: number): void {
    this.rule = ruleOf(this.html.slice(start, end));
    this.wanted = this.renderer.wanted.get(this.rule.name) ?? HIDING_ATTRIBUTES;
    this.attributes = undefined;
  }

  onattribname(start: number, end: number): void {
    const name = this.html.slice(start, end);
    this.attributeValue = "";
    this.attributeName = this.isWanted(name)
      ? name
      : this.isWanted(name.toLowerCase())
        ? name.toLowerCase()
        : "";
  }

  onattribdata(start: number, end: number): void {
    if (this.attributeName) this.attributeValue += this.html.slice(start, end);
  }

  onattribend(): void {
    if (!this.attributeName) return;
    const { attributeName: name, attributeValue: value } = this;
    this.attributes ??= {};
    // The first of two attributes of the same name counts.
    if (!Object.hasOwn(this.attributes, name))
      this.attributes[name] = value.includes("&") ? decodeHTMLAttribute(value) : value;
  }

  onopentagend(): void {
    const { rule, attributes = NO_ATTRIBUTES } = this;
    if (rule.ends.size > 0) this.endOthers(rule);
    const element: Element = { rule, attributes, state: undefined };
    const isHidden = this.hiddenAt !== -1;
    if (!isHidden && hides(rule, attributes)) {
      if (rule.isVoid) return;
      this.hiddenAt = this.stack.length;
    }
    if (rule.isVoid) {
      if (this.hiddenAt === -1) this.renderer.open(element);
    } else if (this.stack.length < MAX_DEPTH || this.hiddenAt === this.stack.length) {
      this.stack.push(element);
      if (this.hiddenAt === -1) this.renderer.open(element);
    }
  }

  /** HTML ignores the slash of `<p/>`; inside SVG it matters, and there nothing is shown but text. */
  onselfclosingtag(): void {
    this.onopentagend();
    if (!this.rule.isVoid && FOREIGN.has(this.rule.name)) this.closeNamed(this.rule);
  }

  onclosetag(start: number, end: number): void {
    const rule = ruleOf(this.html.slice(start, end));
    if (rule.name === "br") this.renderer.open({ rule, attributes: NO_ATTRIBUTES, state: undefined });
    else this.closeNamed(rule);
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

  private isWanted(name: string): boolean {
    return this.wanted.has(name) || HIDING_ATTRIBUTES.has(name);
  }

  private endOthers({ ends, endsWithin }: TagRule): void {
    let lowest = -1;
    for (let at = this.stack.length - 1; at >= 0; at--) {
      const name = this.stack[at]?.rule.name ?? "";
      if (ends.has(name)) lowest = at;
      else if (endsWithin.has(name)) break;
    }
    if (lowest !== -1) while (this.stack.length > lowest) this.pop();
  }

  private closeNamed({ name, closesWithin }: TagRule): void {
    for (let at = this.stack.length - 1; at >= 0; at--) {
      const open = this.stack[at]?.rule.name ?? "";
      if (open === name) {
        while (this.stack.length > at) this.pop();
        return;
      }
      if (closesWithin.has(open)) return;
    }
  }

  private pop(): void {
    const element = this.stack.pop();
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

/** Names are looked up as written first: lower case is what pages use. Made-up names are not remembered beyond a number. */
function ruleOf(written: string): TagRule {
  const known = rules.get(written);
  if (known) return known;
  const name = written.toLowerCase();
  const rule = rules.get(name) ?? tagRule(name);
  if (rules.size < 1_000) rules.set(name, rule);
  return rule;
}
