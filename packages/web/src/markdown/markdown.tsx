/** Markdown as React elements. There is no HTML in between, so none can be injected. */
import ImageIcon from "lucide-react/icons/image";
import type { Token, Tokens } from "marked";
import { createElement, memo, type ReactNode, use } from "react";
import { LinkButton } from "../kit/button.tsx";
import { cx } from "../kit/cx.ts";
import { ScrollRegion } from "../kit/scroll-region.tsx";
import { CodeBlock } from "./code-block.tsx";
import { Formula } from "./formula.tsx";
import { ImageSession } from "./image-session.ts";
import {
  decodeEntities,
  imageSource,
  isStudioPage,
  type MathToken,
  parseMarkdown,
  safeHref,
} from "./parse-markdown.ts";
import { SessionImage } from "./session-image.tsx";

interface MarkdownProps {
  text: string;
  /** A cursor at its end, while it is being written. */
  writing?: boolean;
}

export const Markdown = memo(function Markdown({ text, writing = false }: MarkdownProps) {
  return (
    <div className={cx("flex min-w-0 flex-col gap-3", writing && "[&>:last-child]:cursor-blink")}>
      <Pieces tokens={parseMarkdown(text)} depth={0} />
    </div>
  );
});

const DEEPEST = 20; // quotes within quotes; deeper ones are noise, shown as they were written

/* biome-ignore-start lint/suspicious/noArrayIndexKey: a piece of text has no identity but its place */
const Pieces = ({ tokens = [], depth }: { tokens?: readonly Token[] | undefined; depth: number }) =>
  tokens.map((token, index) => <Piece key={index} token={token} depth={depth} />);

interface PieceProps {
  token: Token;
  depth: number;
}

/** While an answer grows only its last block changes; the others have the same source and are not rendered again. */
const Piece = memo(
  function Piece({ token, depth }: PieceProps) {
    const render = depth < DEEPEST ? PIECES[token.type] : undefined;
    return render ? render(token, depth + 1) : decodeEntities(token.raw);
  },
  (before, after) => before.token.type === after.token.type && before.token.raw === after.token.raw,
);

type Render = (token: Token, depth: number) => ReactNode;
const as =
  <T extends Token>(render: (token: T, depth: number) => ReactNode): Render =>
  (token, depth) =>
    render(token as T, depth);

const HEADINGS = ["text-lg", "text-lg", "text-base", "text-sm", "text-sm", "text-sm"];

/** One row per kind of token; what has no row, such as an HTML tag, is shown as written. */
const PIECES: Record<string, Render> = {
  space: () => null,
  def: () => null,
  hr: () => <hr className="border-line" />,
  br: () => <br />,
  heading: as<Tokens.Heading>(({ depth: level, tokens }, depth) =>
    // The page has its own h1 and h2; a message's headings come below them.
    createElement(
      `h${Math.min(6, level + 2)}`,
      { className: cx("mt-1 font-semibold", HEADINGS[level - 1]) },
      <Pieces tokens={tokens} depth={depth} />,
    ),
  ),
  paragraph: as<Tokens.Paragraph>(({ tokens }, depth) => (
    <p>
      <Pieces tokens={tokens} depth={depth} />
    </p>
  )),
  code: as<Tokens.Code>(({ text, lang }) => (
    <CodeBlock text={text} language={(lang ?? "").split(/[\s:{]/, 1)[0] ?? ""} />
  )),
  blockquote: as<Tokens.Blockquote>(({ tokens }, depth) => (
    <blockquote className="flex flex-col gap-3 border-l-2 border-line-strong pl-3 text-ink-soft">
      <Pieces tokens={tokens} depth={depth} />
    </blockquote>
  )),
  list: as<Tokens.List>((token, depth) => <List token={token} depth={depth} />),
  table: as<Tokens.Table>((token, depth) => <Table token={token} depth={depth} />),
  checkbox: as<Tokens.Checkbox>(({ checked }) => (
    <input
      type="checkbox"
      checked={checked}
      readOnly
      disabled
      aria-label={checked ? "Done" : "To do"}
      className="mr-1.5"
    />
  )),
  math: as<MathToken>(({ text, display }) => <Formula text={text} display={display} />),
  html: as<Tokens.HTML>(({ raw }) => raw),
  text: as<Tokens.Text>(({ text, tokens }, depth) =>
    tokens ? <Pieces tokens={tokens} depth={depth} /> : decodeEntities(text),
  ),
  escape: as<Tokens.Escape>(({ text }) => decodeEntities(text)),
  strong: as<Tokens.Strong>(({ tokens }, depth) => (
    <strong className="font-semibold">
      <Pieces tokens={tokens} depth={depth} />
    </strong>
  )),
  em: as<Tokens.Em>(({ tokens }, depth) => (
    <em>
      <Pieces tokens={tokens} depth={depth} />
    </em>
  )),
  del: as<Tokens.Del>(({ tokens }, depth) => (
    <s>
      <Pieces tokens={tokens} depth={depth} />
    </s>
  )),
  codespan: as<Tokens.Codespan>(({ text }) => (
    <code className="rounded-sm bg-sunken px-1 py-0.5 text-[0.85em]">{decodeEntities(text)}</code>
  )),
  link: as<Tokens.Link>(({ href, tokens }, depth) => (
    <SafeLink href={href}>
      <Pieces tokens={tokens} depth={depth} />
    </SafeLink>
  )),
  image: as<Tokens.Image>(({ href, text }) => <Image href={href} alt={decodeEntities(text)} />),
};

function List({ token: { items, ordered, start }, depth }: { token: Tokens.List; depth: number }) {
  const rows = items.map((item, index) => (
    <li key={index} className={item.task ? "-ml-5 list-none" : undefined}>
      <Pieces tokens={item.tokens} depth={depth} />
    </li>
  ));
  const look = "flex flex-col gap-1 [&_p+p]:mt-1.5 [&_ul]:mt-1 [&_ol]:mt-1";
  if (!ordered) return <ul className={cx(look, "list-disc pl-5")}>{rows}</ul>;
  return (
    <ol start={Number(start) || 1} className={cx(look, "list-decimal pl-6")}>
      {rows}
    </ol>
  );
}

const ALIGNED = { left: "text-left", center: "text-center", right: "numbers text-right" } as const;

function Table({ token: { header, rows }, depth }: { token: Tokens.Table; depth: number }) {
  const cell = (tag: "th" | "td", { tokens, align }: Tokens.TableCell, index: number) =>
    createElement(
      tag,
      {
        key: index,
        className: cx("px-3 py-1.5 align-top", tag === "th" && "font-semibold", align && ALIGNED[align]),
      },
      <Pieces tokens={tokens} depth={depth} />,
    );
  return (
    <ScrollRegion label="Table" className="rounded-lg border border-line">
      <table className="w-full text-left text-sm">
        <thead className="bg-sunken">
          <tr>{header.map((each, index) => cell("th", each, index))}</tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map((row, index) => (
            <tr key={index}>{row.map((each, column) => cell("td", each, column))}</tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
/* biome-ignore-end lint/suspicious/noArrayIndexKey: a piece of text has no identity but its place */

function SafeLink({ href, children }: { href: string; children: ReactNode }) {
  if (isStudioPage(href))
    return (
      <LinkButton href={href} size="sm" className="mx-1 align-middle">
        {children}
      </LinkButton>
    );
  const safe = safeHref(href);
  if (safe === undefined) return <strong className="font-semibold">{children}</strong>; // the words stay, the address does not
  return (
    <a
      href={safe}
      target="_blank"
      rel="noreferrer noopener"
      className="text-accent-ink underline underline-offset-2"
    >
      {children}
    </a>
  );
}

function Image({ href, alt }: { href: string; alt: string }) {
  const sessionId = use(ImageSession);
  const source = imageSource(href);
  if (source?.kind === "data")
    return <img src={source.src} alt={alt} className="max-h-96 rounded-lg border border-line" />;
  if (source?.kind === "file" && sessionId !== undefined)
    return <SessionImage sessionId={sessionId} path={source.path} alt={alt} />;
  return (
    <SafeLink href={source?.kind === "remote" ? source.href : ""}>
      <ImageIcon className="mr-1 inline size-3.5" aria-label="Image" />
      {alt || href}
    </SafeLink>
  );
}
