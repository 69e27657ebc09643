/**
 * HTML to Markdown beside turndown (with domino, its default parser), in one process, rounds interleaved, medians.
 * First the completeness check: everything visible in turndown's output must be in ours. It fails the run when it is not.
 *
 *   cd bench && npm install && node html/run.ts [rounds]
 */
import { readdirSync, readFileSync } from "node:fs";
import { Parser } from "htmlparser2";
import TurndownService from "turndown";
import { htmlToMarkdown, htmlToText } from "../../packages/builtins/src/html/html-to-markdown.ts";
import { figure, median, report, versionOf } from "../result.ts";
import { isHidden, missingFrom } from "./completeness.ts";
import { generatedPages } from "./generated-pages.ts";

const ROUNDS = Number(process.argv[2] ?? 5);
const GOAL = 5;

const turndown = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced" });
turndown.remove(isHidden as never);
const asShipped = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced" });

const folder = new URL("../pages/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".html"));
const written = Object.fromEntries(files.map((name) => [name, readFileSync(new URL(name, folder), "utf8")]));
const generated = generatedPages();
const pages = { ...written, ...generated };

let incomplete = 0;
for (const [name, html] of Object.entries(pages)) {
  const base = /<base href="([^"]*)"/.exec(html)?.[1]; // which turndown ignores
  const missing = missingFrom(htmlToMarkdown(html), turndown.turndown(html), base);
  if (missing.words.length + missing.links.length === 0) continue;
  incomplete++;
  console.log(`${name} lacks`, missing);
}
console.log(
  `completeness: ${Object.keys(pages).length - incomplete} of ${Object.keys(pages).length} pages\n`,
);

const converters: Record<string, (html: string) => unknown> = {
  "ours, markdown": (html) => htmlToMarkdown(html),
  "ours, text": (html) => htmlToText(html),
  turndown: (html) => asShipped.turndown(html),
  "htmlparser2 (no output)": (html) => new Parser({ ontext: () => undefined }).end(html),
};
const sets: Record<string, string[]> = {
  [`the ${files.length} pages of bench/pages, ${kilobytes(Object.values(written))}`]: Object.values(written),
  ...Object.fromEntries(Object.entries(generated).map(([name, html]) => [name, [html]])),
};

const rows = Object.entries(sets).map(([name, set]) => {
  const speeds = measure(set);
  const ratio = (speeds.get("ours, markdown") ?? 0) / (speeds.get("turndown") ?? 1);
  const columns = [...speeds].map(([converter, speed]) => [`${converter}, MB/s`, figure(speed)]);
  return {
    name,
    ratio,
    row: { "": name, "beside turndown": `${figure(ratio)}x`, ...Object.fromEntries(columns) },
  };
});
const slowest = Math.min(...rows.map(({ ratio }) => ratio));
report({
  name: "html",
  question: "How fast is HTML converted to Markdown?",
  method: `One process, ${ROUNDS} interleaved rounds after a warm-up round, medians; turndown parses with domino, its default. Before timing, everything visible in turndown's output (each word with the same count, each link) must be in ours.`,
  goals: [
    { what: "the slowest set vs turndown + domino", value: slowest, atLeast: GOAL, unit: "x" },
    { what: "pages that lack something turndown shows", value: incomplete, atMost: 0, unit: "" },
  ],
  tables: [{ title: "HTML to Markdown", rows: rows.map(({ row }) => row) }],
  plots: [
    {
      title: "Speed relative to turndown",
      unit: "x",
      bars: rows.map(({ name, ratio }) => ({ label: name, value: ratio })),
    },
  ],
  versions: { turndown: versionOf("turndown") },
});
process.exitCode = incomplete === 0 && slowest >= GOAL ? 0 : 1;

/** MB/s of each converter over a set of pages. Small sets are repeated, so that a round is long enough to time. */
function measure(set: readonly string[]): Map<string, number> {
  const bytes = set.reduce((sum, html) => sum + Buffer.byteLength(html), 0);
  const repeats = Math.max(1, Math.ceil(500_000 / bytes));
  const times = new Map<string, number[]>(Object.keys(converters).map((name) => [name, []]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, convert] of Object.entries(converters)) {
      const start = performance.now();
      for (let repeat = 0; repeat < repeats; repeat++) for (const html of set) convert(html);
      if (round >= 0) times.get(name)?.push(performance.now() - start); // round -1 warms up
    }
  }
  return new Map([...times].map(([name, all]) => [name, (bytes * repeats) / 1e6 / (median(all) / 1e3)]));
}

function kilobytes(texts: readonly string[]): string {
  return `${Math.round(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1000)} kB`;
}
