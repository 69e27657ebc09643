/**
 * Whether one conversion holds everything that is visible in another: each word as often, each link at least once.
 * Not visible, and so not compared: what a page hides, links that run a script or stay on the page, and images in the text itself.
 */

const HIDDEN_TAGS = new Set(
  "SCRIPT STYLE TEMPLATE TITLE IFRAME NOEMBED NOFRAMES AUDIO VIDEO CANVAS DATALIST".split(" "),
);
const HIDING_STYLE = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;

interface DomNode {
  nodeName: string;
  hasAttribute?(name: string): boolean;
  getAttribute?(name: string): string | null;
}

/** For turndown's `remove`: it shows hidden content, which we leave out on purpose. */
export function isHidden(node: DomNode): boolean {
  if (HIDDEN_TAGS.has(node.nodeName.toUpperCase()) || node.hasAttribute?.("hidden")) return true;
  if (node.nodeName.toUpperCase() === "DIALOG" && !node.hasAttribute?.("open")) return true;
  return HIDING_STYLE.test(node.getAttribute?.("style") ?? "");
}

export function missingFrom(
  ours: string,
  theirs: string,
  baseUrl: string | undefined,
): { words: string[]; links: string[] } {
  const ourWords = wordsOf(ours);
  const have = counted(ourWords);
  const joined = ourWords.join("");
  // turndown writes `<button>a</button><button>b</button>` as one word; a browser shows two.
  const isGlued = (word: string) => !have.has(word) && joined.includes(word);
  const words = [...counted(wordsOf(theirs))].filter(([word, count]) => (have.get(word) ?? 0) < count);
  const links = new Set(linksOf(ours));
  const full = (link: string) => (baseUrl ? new URL(link, baseUrl).href : link);
  return {
    words: words.map(([word]) => word).filter((word) => !isGlued(word)),
    links: linksOf(theirs).filter((link) => !links.has(link) && !links.has(full(link))),
  };
}

/** `](target "title")`, where parentheses in the target are balanced or escaped. */
const TARGET = /\]\(((?:\\.|[^()\s\\]|\((?:\\.|[^()\s\\])*\))*)(?:\s+"(?:\\.|[^"\\])*")?\)/g;

function linksOf(markdown: string): string[] {
  const targets = [...markdown.matchAll(TARGET)].map(([, target = ""]) => plain(target));
  return targets.filter((target) => target !== "" && !/^(?:#|javascript:|data:)/.test(target));
}

function plain(target: string): string {
  const unescaped = target.replace(/\\(.)/g, "$1").replace(/^<|>$/g, "");
  return unescaped.replace(/%28|%29|%20|%5C/gi, (code) => decodeURIComponent(code));
}

function wordsOf(markdown: string): string[] {
  const text = markdown
    .replace(TARGET, "]")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1")
    .replace(/<br>/g, " ");
  return text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}

function counted(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
