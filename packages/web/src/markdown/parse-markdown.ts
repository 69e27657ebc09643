/**
 * GitHub-flavoured Markdown as marked's tokens, with math. It produces no HTML: a tag in the text stays text.
 * Text that is still being written parses too: an unclosed fence is a code block up to the end.
 */
import { Marked, type Token, type TokenizerExtension, type Tokens } from "marked";

export interface MathToken extends Tokens.Generic {
  readonly type: "math";
  readonly text: string;
  /** On a line of its own, not within a sentence. */
  readonly display: boolean;
}

const DISPLAY = /^(?:\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\])(?:\n+|$)/;
// A price is not a formula: no space after the opening sign, none before the closing one, and no digit after it.
const INLINE =
  /^(?:\$\$([^$\n]+)\$\$|\\\[(.+?)\\\]|\$(?![\s$])((?:\\.|[^$\\\n])+?)(?<![\s\\])\$(?!\d)|\\\((.+?)\\\))/;

const math = (level: "block" | "inline", pattern: RegExp): TokenizerExtension => ({
  name: level === "block" ? "mathBlock" : "mathInline",
  level,
  start: (source) => {
    const place = source.search(level === "block" ? /(?<=\n)(?:\$\$|\\\[)/ : /\$|\\[([]/);
    return place < 0 ? undefined : place;
  },
  tokenizer(source) {
    const found = pattern.exec(source);
    if (!found) return undefined;
    return {
      type: "math",
      raw: found[0],
      text: (found.slice(1).find((text) => text !== undefined) ?? "").trim(),
      display: level === "block",
    };
  },
});

const marked = new Marked({
  gfm: true,
  breaks: true,
  extensions: [math("block", DISPLAY), math("inline", INLINE)],
});

const TOO_DEEP = /(?:^|\n)(?:[ \t]*>){50}/; // the parser calls itself for each level, and would exhaust its stack

export function parseMarkdown(source: string): Token[] {
  return TOO_DEEP.test(source) ? [{ type: "text", raw: source, text: source }] : marked.lexer(source);
}

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** marked leaves entities for a browser to read; React shows text as it is. */
export const decodeEntities = (text: string): string =>
  text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

const SAFE_LINK = /^(https?:\/\/|mailto:)/i;

/** The address of a link; undefined where opening it could run a script or act on this server. */
export const safeHref = (href: string): string | undefined => (SAFE_LINK.test(href) ? href : undefined);

/** Pages of the studio that a text may lead to; each only shows something. Any other path is no link. */
const STUDIO_PAGES = new Set(["/settings/models"]);
export const isStudioPage = (href: string): boolean => STUDIO_PAGES.has(href);

export type ImageSource =
  | { readonly kind: "data"; readonly src: string }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "remote"; readonly href: string };

/**
 * Images are shown from the session's files or from the text itself. An external one is a link:
 * loading it would tell a third-party server what the model has read.
 */
export function imageSource(href: string): ImageSource | undefined {
  if (/^data:image\/(png|jpeg|gif|webp|avif);base64,/i.test(href)) return { kind: "data", src: href };
  if (/^https?:\/\//i.test(href)) return { kind: "remote", href };
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(href)) return undefined;
  return { kind: "file", path: `/${decodeURI(href).replace(/^(\.?\/)+/, "")}` };
}
