/**
 * Direction: "convert report.pdf to markdown" and "turn notes.md into a PDF" have nearly the same words. The text before and after
 * "to" in the task is compared with the text before and after it in a tool's description.
 */
import { kindOfEnding } from "./file-kinds.ts";
import { findValues } from "./task-values.ts";
import { contentTerms, identifierWords } from "./text.ts";

interface Direction {
  readonly from: ReadonlySet<string>;
  readonly to: ReadonlySet<string>;
}

const FORWARD = /\s(?:to|into|as)\s/i;
const BACKWARD = /\s(?:out of|from)\s/i;

/**
 * Above 0 when both go the same way, below 0 when they go opposite ways, 0 when one of them has no direction.
 * `english`: the task in English words, without grammar when it is in another language; then its file is what it comes from.
 */
export function directionFit(task: string, description: string, english = task): number {
  // The first sentence says what a tool does; the others are about details ("comes as base64").
  const said = directionOf(withEndings(task));
  const wish = said ?? (english === task ? undefined : fromFile(task, english));
  const offer = directionOf(description.split(/\.\s/)[0] ?? "");
  if (!wish || !offer) return 0;
  const sameEnd = shared(wish.to, offer.to);
  const same = sameEnd + shared(wish.from, offer.from);
  const opposite = shared(wish.to, offer.from) + shared(wish.from, offer.to);
  if (said && sameEnd + opposite === 0) return 0; // "transactions from May to June": the end is what tells the direction
  return same === opposite ? 0 : (same - opposite) / (same + opposite);
}

function directionOf(text: string): Direction | undefined {
  const forward = FORWARD.exec(text);
  const at = forward ?? BACKWARD.exec(text);
  if (!at) return undefined;
  const before = termsOf(text.slice(0, at.index));
  const behind = termsOf(text.slice(at.index + at[0].length));
  return forward ? { from: before, to: behind } : { from: behind, to: before };
}

const termsOf = (text: string): ReadonlySet<string> => new Set(contentTerms(identifierWords(text)));

/** A path's extension tells its file type. */
const withEndings = (task: string): string =>
  findValues(task)
    .filter(({ kind }) => kind === "path")
    .sort((a, b) => b.at - a.at)
    .reduce((text, path) => {
      const ending = /\.(\w+)$/.exec(path.text)?.[1]?.toLowerCase() ?? "";
      return `${text.slice(0, path.at)}${kindOfEnding(ending) ?? ending}${text.slice(path.end)}`;
    }, task);

/** "notes.md Word 文档" comes from Markdown; what else it speaks of is where it goes. */
function fromFile(task: string, english: string): Direction | undefined {
  const [file] = findValues(task).filter(({ kind }) => kind === "path");
  const ending = /\.(\w+)$/.exec(file?.text ?? "")?.[1]?.toLowerCase();
  if (!file || ending === undefined) return undefined;
  const from = termsOf(kindOfEnding(ending) ?? ending);
  const rest = termsOf(english.replaceAll(file.text, " "));
  return { from, to: new Set([...rest].filter((term) => !from.has(term))) };
}

function shared(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let count = 0;
  for (const term of one) if (other.has(term)) count++;
  return count;
}
