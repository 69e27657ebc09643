/**
 * Writes a page as lines. Anything that may turn out empty stays pending until text follows: blank lines, a space,
 * a bullet, the start of an emphasis or a link. So `<b> a </b>` becomes ` **a** `, an empty item or link leaves no trace, and
 * output is never undone. The output is append-only; reading from it would flatten the string each time.
 */
import type { Dialect } from "./dialect.ts";
import { entityAt } from "./entity.ts";
import { escapeInline, escapeLineStart, startsReference } from "./escape-markdown.ts";
import { LITERAL_CLASSES, PLAIN, SPACE } from "./text-classes.ts";

const MAX_CONTAINERS = 16; // deeper lists and quotes keep their text; the line prefix must not grow without limit
const MAX_REOPENED = 6; // a link around a whole page is not repeated on each of its lines

/** An inline element around text: an emphasis or a link. */
export interface Mark {
  readonly open: string;
  readonly close: string;
  readonly isLink: boolean;
  /** How often it was written; 0 for a link without text. */
  uses: number;
  isOpen: boolean;
}

interface Container {
  /** Before its first line, such as `- `. */
  readonly first: string;
  /** Before each further line. */
  readonly rest: string;
  isFresh: boolean;
}

/** State of one flow of lines; a table cell has its own. */
export interface Flow {
  out: string;
  breaks: 0 | 1 | 2;
  isStarted: boolean;
  containers: Container[];
}

export class BlockWriter {
  private readonly dialect: Dialect;
  private flow: Flow = newFlow();
  /** Whether a line break is pending within a paragraph. */
  private hard = false;
  private space = false;
  private atLineStart = true;
  private headings = 0;
  private readonly marks: Mark[] = [];
  /** How many of `marks`, from the first, are written. */
  private opened = 0;
  private codeDepth = 0;
  private codeRun = "";

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  /** Page text from `start` to `end`: collapses spaces, decodes entities, escapes Markdown characters. */
  text(html: string, start: number, end: number): void {
    const classes = this.codeDepth > 0 ? LITERAL_CLASSES : this.dialect.classes;
    let at = start;
    while (at < end) {
      const kind = classOf(classes, html.charCodeAt(at));
      if (kind === SPACE) {
        this.space = true;
        at++;
      } else if (kind === PLAIN) {
        const stop = plainEnd(classes, html, at, end);
        this.append(html.slice(at, stop), this.dialect.escapes);
        at = stop;
      } else at = this.special(html, at, end);
    }
  }

  /** Raw output of the dialect, such as an image. */
  inline(piece: string): void {
    if (piece !== "") this.append(piece, false);
  }

  wantSpace(): void {
    this.space = true;
  }

  /** A line break within a paragraph; a second one ends the paragraph. */
  lineBreak(): void {
    if (this.headings > 0) this.space = true;
    else if (this.hard) this.breakLines(2);
    else if (this.flow.breaks === 0) {
      this.flushCode();
      this.hard = true;
      this.space = false;
    }
  }

  /** Starts a new line; with 2, after a blank one. */
  breakLines(count: 1 | 2): void {
    this.flushCode();
    const top = this.flow.containers.at(-1);
    if (this.headings > 0 && !top?.isFresh) {
      this.space = true;
      return;
    }
    this.closeMarks(0);
    this.hard = false;
    this.space = false;
    if (!top?.isFresh && count > this.flow.breaks) this.flow.breaks = count;
  }

  /** The next line follows without a blank one, whatever was requested: list items stay together. */
  tighten(): void {
    if (this.flow.breaks === 2) this.flow.breaks = 1;
  }

  /** Starts a list item, quote or heading; false if it is nested too deep. */
  push(first: string, rest: string): boolean {
    const { containers } = this.flow;
    if (containers.length >= MAX_CONTAINERS || this.headings > 0) return false;
    containers.push({ first, rest, isFresh: true });
    return true;
  }

  pop(): void {
    this.flushCode();
    this.closeMarks(0);
    this.flow.containers.pop();
  }

  /** Whether the innermost item has no text yet. */
  get isFresh(): boolean {
    return this.flow.containers.at(-1)?.isFresh ?? false;
  }

  startHeading(): void {
    this.headings++;
  }

  endHeading(): void {
    this.headings--;
  }

  /** Verbatim lines: code, tables. */
  block(lines: readonly string[]): void {
    const { headings } = this;
    this.headings = 0; // a heading is one line; code or a table in it ends that line
    this.breakLines(2);
    if (this.flow.breaks > 0 || this.isFresh) this.startLine();
    const prefix = this.restPrefix();
    this.flow.out += lines.join(`\n${prefix}`);
    this.atLineStart = false;
    this.breakLines(2);
    this.headings = headings;
  }

  openMark(mark: Mark): void {
    this.flushCode();
    this.marks.push(mark);
  }

  closeMark(mark: Mark): void {
    this.flushCode();
    const at = this.marks.lastIndexOf(mark);
    if (at === -1) return;
    this.closeMarks(at);
    this.marks.splice(at, 1);
  }

  hasMark(open: string): boolean {
    return this.marks.some((mark) => mark.open === open);
  }

  startCode(): void {
    this.codeDepth++;
  }

  endCode(): void {
    this.codeDepth--;
    this.flushCode();
  }

  get inCode(): boolean {
    return this.codeDepth > 0;
  }

  /** Starts a separate flow for a table cell; enclosing marks apply inside as well. */
  begin(): Flow {
    this.flushCode();
    this.closeMarks(0);
    const outer = this.flow;
    this.flow = newFlow();
    this.hard = false;
    this.space = false;
    return outer;
  }

  /** The text written since `begin`. */
  finish(outer: Flow): string {
    this.flushCode();
    this.closeMarks(0);
    const { out } = this.flow;
    this.flow = outer;
    this.hard = false;
    this.space = false;
    return out;
  }

  /** All text written. */
  result(): string {
    return this.finish(newFlow());
  }

  private special(html: string, at: number, end: number): number {
    const char = html.charAt(at);
    if (char !== "&") {
      this.append(this.escaped(char, html.charAt(at - 1), at + 1 < end ? html.charAt(at + 1) : ""), false);
      return at + 1;
    }
    const entity = entityAt(html, at, end);
    this.decoded(entity.text, html, entity.end);
    return entity.end;
  }

  private decoded(text: string, html: string, next: number): void {
    if (text === "&" && this.dialect.escapes && this.codeDepth === 0)
      this.append(startsReference(html, next) ? "\\&" : "&", false);
    else if (text.trim() === "") this.space = true;
    else
      this.append(
        text.length === 1 ? this.escaped(text, " ", html.charAt(next)) : text,
        this.dialect.escapes,
      );
  }

  private escaped(char: string, before: string, after: string): string {
    if (!this.dialect.escapes || this.codeDepth > 0) return char;
    return escapeInline(
      char,
      before,
      after,
      this.marks.some((mark) => mark.isLink),
    );
  }

  private append(piece: string, isText: boolean): void {
    if (this.codeDepth > 0) {
      this.appendCode(piece);
      return;
    }
    this.lead();
    this.flow.out += isText && this.atLineStart ? escapeLineStart(piece) : piece;
    this.atLineStart = false;
  }

  private appendCode(piece: string): void {
    if (this.codeRun === "") this.lead();
    else if (this.space) this.codeRun += " ";
    this.space = false;
    this.codeRun += piece;
  }

  private flushCode(): void {
    if (this.codeRun === "") return;
    this.flow.out += this.dialect.code(this.codeRun);
    this.codeRun = "";
    this.atLineStart = false;
  }

  /** Writes everything pending before a piece of text. */
  private lead(): void {
    const { flow } = this;
    if (flow.breaks > 0 || this.isFresh) this.startLine();
    else if (this.hard) {
      flow.out += `${this.dialect.hardBreak}\n${this.restPrefix()}`;
      this.atLineStart = true;
    } else if (this.space) flow.out += " ";
    this.hard = false;
    this.space = false;
    while (this.opened < this.marks.length) this.openNext();
  }

  private openNext(): void {
    const mark = this.marks[this.opened++];
    if (!mark || mark.uses >= MAX_REOPENED) return;
    mark.uses++;
    mark.isOpen = true;
    this.flow.out += mark.open;
    if (mark.open !== "") this.atLineStart = false;
  }

  private closeMarks(to: number): void {
    while (this.opened > to) {
      const mark = this.marks[--this.opened];
      if (!mark?.isOpen) continue;
      mark.isOpen = false;
      this.flow.out += mark.close;
    }
  }

  private startLine(): void {
    const { flow } = this;
    if (flow.isStarted) {
      // A blank line belongs to the enclosing blocks, not to what starts on the next line.
      const around = flow.containers.filter((container) => !container.isFresh);
      flow.out += flow.breaks === 2 ? `\n${joinRest(around).trimEnd()}\n` : "\n";
    }
    for (const container of flow.containers) {
      flow.out += container.isFresh ? container.first : container.rest;
      container.isFresh = false;
    }
    flow.breaks = 0;
    flow.isStarted = true;
    this.atLineStart = true;
  }

  private restPrefix(): string {
    return joinRest(this.flow.containers);
  }
}

function newFlow(): Flow {
  return { out: "", breaks: 1, isStarted: false, containers: [] };
}

function joinRest(containers: readonly Container[]): string {
  return containers.map(({ rest }) => rest).join("");
}

function classOf(classes: Uint8Array, code: number): number {
  return code < 256 ? (classes[code] ?? PLAIN) : PLAIN;
}

/** The end of a run that can be copied verbatim; one space between two plain characters is part of it. */
function plainEnd(classes: Uint8Array, html: string, start: number, end: number): number {
  let at = start + 1;
  for (; at < end; at++) {
    const code = html.charCodeAt(at);
    if (classOf(classes, code) === PLAIN) continue;
    if (code !== 32 || at + 1 >= end || classOf(classes, html.charCodeAt(at + 1)) !== PLAIN) break;
    at++;
  }
  return at;
}
