/** Markdown as blocks, line by line. A text that is still being written parses too: what is open runs to the end. */
import { type Inline, parseInline } from "./inline.ts";

export type Block =
  | { readonly type: "heading"; readonly level: number; readonly children: readonly Inline[] }
  | { readonly type: "paragraph"; readonly children: readonly Inline[] }
  | { readonly type: "code"; readonly language: string; readonly text: string }
  | { readonly type: "quote"; readonly blocks: readonly Block[] }
  | {
      readonly type: "list";
      readonly ordered: boolean;
      readonly start: number;
      readonly items: readonly (readonly Block[])[];
    }
  | {
      readonly type: "table";
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  | { readonly type: "rule" };

const DEEPEST = 8;
const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*?)\s*$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^ {0,3}([-*_])(\s*\1){2,}\s*$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,12})([-*+]|\d{1,9}[.)])(\s+|$)/;
const TABLE_LINE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

interface Read {
  readonly block: Block;
  /** The line after it. */
  readonly next: number;
}
type Reader = (lines: readonly string[], at: number, depth: number) => Read | undefined;

export function parseBlocks(source: string, depth = 0): Block[] {
  const lines = source.replaceAll("\r\n", "\n").replaceAll("\t", "    ").split("\n");
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    if (lines[at]?.trim() === "") {
      at += 1;
      continue;
    }
    const { block, next } = readBlock(lines, at, depth);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

const READERS: Reader[] = [readCode, readHeading, readRule, readQuote, readList, readTable];

function readBlock(lines: readonly string[], at: number, depth: number): Read {
  for (const read of READERS) {
    const found = read(lines, at, depth);
    if (found) return found;
  }
  return readParagraph(lines, at, depth);
}

function readCode(lines: readonly string[], at: number): Read | undefined {
  const open = FENCE.exec(lines[at] ?? "");
  if (!open) return undefined;
  const [, fence = "```", language = ""] = open;
  const rest = lines.slice(at + 1);
  const length = rest.findIndex(
    (line) => line.trim().startsWith(fence) && line.trim().replaceAll(fence[0] ?? "`", "") === "",
  );
  const text = (length < 0 ? rest : rest.slice(0, length)).join("\n");
  return { block: { type: "code", language, text }, next: length < 0 ? lines.length : at + length + 2 };
}

function readHeading(lines: readonly string[], at: number): Read | undefined {
  const found = HEADING.exec(lines[at] ?? "");
  if (!found) return undefined;
  const [, marks = "#", text = ""] = found;
  return { block: { type: "heading", level: marks.length, children: parseInline(text) }, next: at + 1 };
}

function readRule(lines: readonly string[], at: number): Read | undefined {
  return RULE.test(lines[at] ?? "") ? { block: { type: "rule" }, next: at + 1 } : undefined;
}

function readQuote(lines: readonly string[], at: number, depth: number): Read | undefined {
  if (depth >= DEEPEST || !QUOTE.test(lines[at] ?? "")) return undefined;
  const next = endOf(lines, at, (line) => QUOTE.test(line));
  const inner = lines.slice(at, next).map((line) => line.replace(QUOTE, ""));
  return { block: { type: "quote", blocks: parseBlocks(inner.join("\n"), depth + 1) }, next };
}

function readList(lines: readonly string[], at: number, depth: number): Read | undefined {
  const first = ITEM.exec(lines[at] ?? "");
  if (depth >= DEEPEST || !first) return undefined;
  const ordered = isNumber(first);
  const items: Block[][] = [];
  let next = at;
  for (let item: RegExpExecArray | null = first; item && isNumber(item) === ordered; ) {
    const end = itemEnd(lines, next, (item[1] ?? "").length);
    items.push(parseBlocks(itemText(lines.slice(next, end), item[0].length), depth + 1));
    next = end;
    item = ITEM.exec(lines[next] ?? "");
  }
  const start = Number.parseInt(first[2] ?? "1", 10) || 1;
  return { block: { type: "list", ordered, start, items }, next };
}

const isNumber = (item: RegExpExecArray): boolean => /\d/.test(item[2] ?? "");

const itemText = ([first = "", ...rest]: string[], indent: number): string =>
  [first.slice(indent), ...rest.map((line) => dedent(line, indent))].join("\n");

/** An item goes on while lines are indented, or blank with an indented or further line behind them. */
function itemEnd(lines: readonly string[], at: number, indent: number): number {
  let end = at + 1;
  for (let next = at + 1; next < lines.length; next++) {
    const line = lines[next] ?? "";
    if (line.trim() === "") continue;
    const isIndented = line.search(/\S/) > indent;
    const goesOn = end === next && !ITEM.test(line) && !startsBlock(line);
    if (!isIndented && !goesOn) break;
    end = next + 1;
  }
  return blanksAfter(lines, end);
}

function blanksAfter(lines: readonly string[], at: number): number {
  let end = at;
  while (end < lines.length && lines[end]?.trim() === "") end += 1;
  return ITEM.test(lines[end] ?? "") ? end : at;
}

const dedent = (line: string, by: number): string => line.slice(Math.min(by, Math.max(0, line.search(/\S/))));

function readTable(lines: readonly string[], at: number): Read | undefined {
  const head = lines[at] ?? "";
  const marks = lines[at + 1] ?? "";
  if (!head.includes("|") || !marks.includes("-") || !TABLE_LINE.test(marks)) return undefined;
  const next = endOf(lines, at + 2, (line) => line.includes("|"));
  const [top = [], ...rows] = [head, ...lines.slice(at + 2, next)].map(cellsOf);
  const columns = Math.max(top.length, ...rows.map((row) => row.length));
  return {
    block: { type: "table", head: fit(top, columns), rows: rows.map((row) => fit(row, columns)) },
    next,
  };
}

const cellsOf = (line: string): Inline[][] =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => parseInline(cell.trim().replaceAll("\\|", "|")));

const fit = (cells: Inline[][], columns: number): Inline[][] =>
  Array.from({ length: columns }, (_, index) => cells[index] ?? []);

function readParagraph(lines: readonly string[], at: number, depth: number): Read {
  const next = endOf(lines, at + 1, (line) => line.trim() !== "" && (depth >= DEEPEST || !startsBlock(line)));
  const text = lines
    .slice(at, next)
    .map((line) => line.trim())
    .join("\n");
  return { block: { type: "paragraph", children: parseInline(text) }, next };
}

const startsBlock = (line: string): boolean =>
  FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || ITEM.test(line);

function endOf(lines: readonly string[], from: number, belongs: (line: string) => boolean): number {
  let end = from;
  while (end < lines.length && belongs(lines[end] ?? "")) end += 1;
  return end;
}
