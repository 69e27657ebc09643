/** Source code in colours: highlight.js, loaded when the first code block is shown. */
import type { HLJSApi } from "highlight.js";
import { decodeEntities } from "./parse-markdown.ts";

export interface ColouredPiece {
  readonly text: string;
  /** highlight.js's class, such as `hljs-keyword`; none for plain text. */
  readonly className: string | undefined;
}

const MOST_CHARS = 50_000; // a longer block is shown plain: colouring it would hold up the page

let loading: Promise<HLJSApi> | undefined;

/** The code in pieces, or nothing for a language that is not known or a text that is too long. */
export async function highlight(text: string, language: string): Promise<ColouredPiece[] | undefined> {
  if (text.length > MOST_CHARS) return undefined;
  loading ??= import("./languages.ts").then(({ highlighter }) => highlighter);
  const highlighter = await loading;
  if (!highlighter.getLanguage(language)) return undefined;
  return piecesOf(highlighter.highlight(text, { language, ignoreIllegals: true }).value);
}

/** What highlight.js writes is spans and escaped text, nothing else; read here so that no HTML enters the page. */
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
