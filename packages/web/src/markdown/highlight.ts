/** Source code in colours: highlight.js, loaded when the first code block is shown. */
import type { HLJSApi } from "highlight.js";
import { decodeEntities } from "./parse-markdown.ts";

export interface ColouredPiece {
  readonly text: string;
  /** highlight.js's class, such as `hljs-keyword`; none for plain text. */
  readonly className: string | undefined;
}

const MOST_CHARS = 50_000; // a longer block is shown plain: highlighting it would block the page

let loading: Promise<HLJSApi> | undefined;

/** The highlighted pieces, or undefined for an unknown language or a text that is too long. */
export async function highlight(text: string, language: string): Promise<ColouredPiece[] | undefined> {
  if (text.length > MOST_CHARS) return undefined;
  loading ??= import("./languages.ts").then(({ highlighter }) => highlighter);
  const highlighter = await loading;
  if (!highlighter.getLanguage(language)) return undefined;
  return piecesOf(highlighter.highlight(text, { language, ignoreIllegals: true }).value);
}

/** highlight.js only writes spans and escaped text; it is parsed here so that no HTML enters the page. */
export function piecesOf(html: string): ColouredPiece[] {
  const open: string[] = [];
  return html.split(/(<span class="[^"]*">|<\/span>)/).flatMap((part): ColouredPiece[] => {
    const opened = /^<span class="([^"]*)">$/.exec(part)?.[1];
    if (opened !== undefined) open.push(opened);
    else if (part === "</span>") open.pop();
    else if (part !== "") return [{ text: decodeEntities(part), className: open.at(-1) }];
    return [];
  });
}
