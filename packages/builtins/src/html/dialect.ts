/** The two output formats: Markdown (CommonMark with GitHub's tables and strike-through) and plain text. */
import { LITERAL_CLASSES, MARKDOWN_CLASSES } from "./text-classes.ts";

export type Emphasis = "strong" | "em" | "strike";

export interface Dialect {
  readonly classes: Uint8Array;
  readonly escapes: boolean;
  /** Whether links are written; if not, only their text is. */
  readonly links: boolean;
  readonly emphasis: Readonly<Record<Emphasis, string>>;
  readonly hardBreak: string;
  readonly rule: string;
  readonly quote: string;
  heading(level: number): string;
  code(text: string): string;
  fence(text: string, language: string): string[];
  image(alt: string, target: string, title: string): string;
  table(rows: readonly (readonly string[])[]): string[];
}

export const MARKDOWN: Dialect = {
  classes: MARKDOWN_CLASSES,
  escapes: true,
  links: true,
  emphasis: { strong: "**", em: "*", strike: "~~" },
  hardBreak: "  ",
  rule: "---",
  quote: "> ",
  heading: (level) => `${"#".repeat(level)} `,
  code(text) {
    const ticks = "`".repeat(longestRun(text, /`+/g) + 1);
    const pad = text.startsWith("`") || text.endsWith("`") ? " " : "";
    return ticks + pad + text + pad + ticks;
  },
  fence(text, language) {
    const ticks = "`".repeat(Math.max(3, longestRun(text, /^ *`+/gm) + 1));
    return [ticks + language, ...text.split("\n"), ticks];
  },
  image: (alt, target, title) => `![${alt.replace(/[[\]\\]/g, "\\$&")}](${target}${linkTitle(title)})`,
  table([header = [], ...rows]) {
    return [row(header), `|${" --- |".repeat(header.length)}`, ...rows.map(row)];
  },
};

export const TEXT: Dialect = {
  classes: LITERAL_CLASSES,
  escapes: false,
  links: false,
  emphasis: { strong: "", em: "", strike: "" },
  hardBreak: "",
  rule: "---",
  quote: "  ",
  heading: () => "",
  code: (text) => text,
  fence: (text) => text.split("\n"),
  image: (alt) => alt,
  table: (rows) =>
    rows.map((cells) =>
      cells
        .map((cell) => cell.replace(/\s*\n\s*/g, " "))
        .join("\t")
        .trimEnd(),
    ),
};

/** ` "title"` after a link's target, or nothing. */
export function linkTitle(title: string): string {
  const line = title.replace(/\s+/g, " ").trim();
  return line && ` "${line.replace(/["\\]/g, "\\$&")}"`;
}

/** A row is one line, so what a cell holds on several is parted by `<br>`. */
function row(cells: readonly string[]): string {
  return `| ${cells.map(inRow).join(" | ")} |`;
}

function inRow(cell: string): string {
  const line = cell.includes("\n") ? cell.replace(/(?: *\n)+ */g, "<br>") : cell;
  return line.includes("|") ? line.replace(/(?<!\\)((?:\\\\)*)\|/g, "$1\\|") : line;
}

function longestRun(text: string, run: RegExp): number {
  return (text.match(run) ?? []).reduce((longest, found) => Math.max(longest, found.trimStart().length), 0);
}
