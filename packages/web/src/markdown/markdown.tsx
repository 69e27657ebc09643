/** Markdown as React elements. There is no HTML in between, so none can get in. */
import { createElement, memo, type ReactNode } from "react";
import { CopyButton } from "../kit/copy-button.tsx";
import { cx } from "../kit/cx.ts";
import { ScrollRegion } from "../kit/scroll-region.tsx";
import { type Block, parseBlocks } from "./blocks.ts";
import type { Inline } from "./inline.ts";

interface MarkdownProps {
  text: string;
  /** A cursor at its end, while it is being written. */
  writing?: boolean;
}

export const Markdown = memo(function Markdown({ text, writing = false }: MarkdownProps) {
  return (
    <div className={cx("flex min-w-0 flex-col gap-3", writing && "[&>:last-child]:cursor-blink")}>
      {blocks(parseBlocks(text))}
    </div>
  );
});

/* biome-ignore-start lint/suspicious/noArrayIndexKey: a piece of text has no identity but its place */
const blocks = (all: readonly Block[]): ReactNode =>
  all.map((block, index) => <OneBlock key={index} block={block} />);

const inlines = (all: readonly Inline[]): ReactNode =>
  all.map((node, index) => <OneInline key={index} node={node} />);

const HEADINGS = ["text-lg", "text-lg", "text-base", "text-sm", "text-sm", "text-sm"];

function OneBlock({ block }: { block: Block }) {
  switch (block.type) {
    case "heading":
      // The page has its own h1 and h2; a message's headings come below them.
      return createElement(
        `h${Math.min(6, block.level + 2)}`,
        { className: cx("mt-1 font-semibold", HEADINGS[block.level - 1]) },
        inlines(block.children),
      );
    case "paragraph":
      return <p>{inlines(block.children)}</p>;
    case "code":
      return <CodeBlock text={block.text} language={block.language} />;
    case "quote":
      return (
        <blockquote className="flex flex-col gap-3 border-l-2 border-line-strong pl-3 text-ink-soft">
          {blocks(block.blocks)}
        </blockquote>
      );
    case "list":
      return <List block={block} />;
    case "table":
      return <Table block={block} />;
    default:
      return <hr className="border-line" />;
  }
}

function List({ block }: { block: Extract<Block, { type: "list" }> }) {
  const items = block.items.map((item, index) => (
    <li key={index}>
      <div className="flex flex-col gap-1.5">{blocks(item)}</div>
    </li>
  ));
  if (!block.ordered) return <ul className="flex list-disc flex-col gap-1 pl-5">{items}</ul>;
  return (
    <ol start={block.start} className="flex list-decimal flex-col gap-1 pl-6">
      {items}
    </ol>
  );
}

function Table({ block: { head, rows } }: { block: Extract<Block, { type: "table" }> }) {
  return (
    <ScrollRegion label="Table" className="rounded-lg border border-line">
      <table className="w-full text-left text-sm">
        <thead className="bg-sunken">
          <tr>
            {head.map((cell, index) => (
              <th key={index} className="px-3 py-1.5 font-semibold">
                {inlines(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} className="px-3 py-1.5 align-top">
                  {inlines(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
/* biome-ignore-end lint/suspicious/noArrayIndexKey: a piece of text has no identity but its place */

function CodeBlock({ text, language }: { text: string; language: string }) {
  return (
    <div className="min-w-0 rounded-lg border border-line bg-sunken">
      <div className="flex items-center justify-between py-0.5 pr-1 pl-3 text-xs text-ink-faint">
        <span>{language || "text"}</span>
        <CopyButton text={text} label="Copy code" />
      </div>
      <ScrollRegion label={`Code, ${language || "text"}`} className="rounded-b-lg">
        <pre className="px-3 pb-3 text-xs leading-5">{text}</pre>
      </ScrollRegion>
    </div>
  );
}

const TAGS = { strong: "strong", emphasis: "em", strike: "s" } as const;

function OneInline({ node }: { node: Inline }) {
  switch (node.type) {
    case "text":
      return node.text;
    case "code":
      return <code className="rounded-sm bg-sunken px-1 py-0.5 text-[0.85em]">{node.text}</code>;
    case "break":
      return <br />;
    case "link":
      return (
        <a
          href={node.href}
          target="_blank"
          rel="noreferrer noopener"
          className="text-accent-ink underline underline-offset-2"
        >
          {inlines(node.children)}
        </a>
      );
    default:
      return createElement(
        TAGS[node.type],
        node.type === "strong" ? { className: "font-semibold" } : {},
        inlines(node.children),
      );
  }
}
