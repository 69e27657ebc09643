/**
 * Markdown inside a line: code, emphasis, links. No HTML: a tag is text like any other.
 * A mark whose end is missing is searched for once and then taken as text, so that no input takes more than linear time.
 */
export type Inline =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "code"; readonly text: string }
  | { readonly type: "break" }
  | { readonly type: "strong" | "emphasis" | "strike"; readonly children: readonly Inline[] }
  | { readonly type: "link"; readonly href: string; readonly children: readonly Inline[] };

const DEEPEST = 6; // marks within marks; deeper ones are noise
const MARKS = [
  ["**", "strong"],
  ["__", "strong"],
  ["~~", "strike"],
  ["*", "emphasis"],
  ["_", "emphasis"],
] as const;
const ADDRESS = /^https?:\/\/[^\s<>"'`]*[^\s<>"'`.,:;!?)\]}]/;
const SAFE = /^(https?:\/\/|mailto:)/i;

/** Where `from` stands now, and what was found there. */
interface Found {
  readonly node: Inline;
  readonly end: number;
}

export function parseInline(source: string, depth = 0): Inline[] {
  const out: Inline[] = [];
  const missing = new Set<string>();
  let text = "";
  let at = 0;
  const flush = () => {
    if (text !== "") out.push({ type: "text", text });
    text = "";
  };
  while (at < source.length) {
    const found = special(source, at, depth, missing);
    if (!found) {
      text += source[at];
      at += 1;
      continue;
    }
    if (found.node.type === "text") text += found.node.text;
    else {
      flush();
      out.push(found.node);
    }
    at = found.end;
  }
  flush();
  return out;
}

function special(source: string, at: number, depth: number, missing: Set<string>): Found | undefined {
  switch (source[at]) {
    case "\\":
      return escaped(source, at);
    case "\n":
      return { node: { type: "break" }, end: at + 1 };
    case "`":
      return codeSpan(source, at, missing);
    case "[":
      return link(source, at, depth, missing);
    case "!":
      return source[at + 1] === "[" ? link(source, at + 1, depth, missing) : undefined; // a picture is shown as its link
    case "h":
      return bareAddress(source, at);
    case "*":
    case "_":
    case "~":
      return marked(source, at, depth, missing);
    default:
      return undefined;
  }
}

function escaped(source: string, at: number): Found | undefined {
  const next = source[at + 1];
  if (next === undefined || !/[!-/:-@[-`{-~]/.test(next)) return undefined;
  return { node: { type: "text", text: next }, end: at + 2 };
}

function codeSpan(source: string, at: number, missing: Set<string>): Found | undefined {
  const fence = /^`+/.exec(source.slice(at, at + 20))?.[0] ?? "`";
  const close = closing(source, fence, at + fence.length, missing);
  if (close < 0) return { node: { type: "text", text: fence }, end: at + fence.length };
  const text = source.slice(at + fence.length, close).replaceAll("\n", " ");
  return { node: { type: "code", text: text.trim() || text }, end: close + fence.length };
}

function marked(source: string, at: number, depth: number, missing: Set<string>): Found | undefined {
  if (depth >= DEEPEST) return undefined;
  const mark = MARKS.find(([sign]) => source.startsWith(sign, at));
  if (!mark) return undefined;
  const [sign, type] = mark;
  const start = at + sign.length;
  const isWordInside = sign.startsWith("_") && /\w/.test(source[at - 1] ?? ""); // snake_case is no emphasis
  if (isWordInside || /\s/.test(source[start] ?? " ")) return undefined;
  const close = closing(source, sign, start + 1, missing);
  if (close < 0 || /\s/.test(source[close - 1] ?? "")) return undefined;
  return {
    node: { type, children: parseInline(source.slice(start, close), depth + 1) },
    end: close + sign.length,
  };
}

function link(source: string, at: number, depth: number, missing: Set<string>): Found | undefined {
  const middle = closing(source, "](", at + 1, missing);
  if (middle < 0 || depth >= DEEPEST) return undefined;
  const end = closing(source, ")", middle + 2, missing);
  if (end < 0) return undefined;
  const label = source.slice(at + 1, middle);
  if (label.includes("[") || label.includes("\n\n")) return undefined;
  const href =
    source
      .slice(middle + 2, end)
      .trim()
      .split(/\s/)[0] ?? "";
  const children = parseInline(label, DEEPEST - 1);
  if (!SAFE.test(href)) return { node: { type: "strong", children }, end: end + 1 }; // the words stay, the address does not
  return { node: { type: "link", href, children }, end: end + 1 };
}

function bareAddress(source: string, at: number): Found | undefined {
  if (/\w/.test(source[at - 1] ?? "") || !source.startsWith("http", at)) return undefined;
  const href = ADDRESS.exec(source.slice(at, at + 2_000))?.[0];
  if (href === undefined) return undefined;
  return { node: { type: "link", href, children: [{ type: "text", text: href }] }, end: at + href.length };
}

/** The next place of a sign, or -1. What is missing behind one place is missing behind every later one. */
function closing(source: string, sign: string, from: number, missing: Set<string>): number {
  if (missing.has(sign)) return -1;
  const place = source.indexOf(sign, from);
  if (place < 0) missing.add(sign);
  return place;
}
