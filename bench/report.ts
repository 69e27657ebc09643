/**
 * `node bench/report.ts`: writes docs/benchmarks.md and its plots from bench/results/*.json. Nothing in them is written
 * by hand; a result of another shape (triggers, coding agents) is described on its own page.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { goalText, isMet, measuredText, RESULTS, type StoredFinding, type Table } from "./result.ts";
import { barsSvg } from "./svg.ts";

const DOCS = join(import.meta.dirname, "../docs");
const IMAGES = join(DOCS, "images");
const ORDER = [
  "runs",
  "replay",
  "paced",
  "subscribers",
  "growth",
  "retention",
  "start",
  "memory",
  "first-hour",
  "install",
  "html",
  "files",
  "compose",
  "rules",
];

function findings(): StoredFinding[] {
  const all = readdirSync(RESULTS)
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(join(RESULTS, name), "utf8")) as StoredFinding)
    .filter(({ goals, method }) => Array.isArray(goals) && typeof method === "string");
  const place = ({ name }: StoredFinding) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  return all.sort((a, b) => place(a) - place(b) || a.name.localeCompare(b.name));
}

const cell = (value: string | number): string => String(value).replaceAll("|", "\\|");
const line = (cells: readonly (string | number)[]): string => `| ${cells.map(cell).join(" | ")} |`;

function table({ title, rows }: Table): string {
  const columns = Object.keys(rows[0] ?? {});
  const body = rows.map((row) => line(columns.map((column) => row[column] ?? "")));
  return [`**${title}**`, "", line(columns), line(columns.map(() => "---")), ...body].join("\n");
}

function summary(all: readonly StoredFinding[]): string {
  const rows = all.flatMap(({ name, goals }) =>
    goals.map((goal) =>
      line([
        `[${name}](#${name})`,
        goal.what,
        measuredText(goal),
        goalText(goal),
        isMet(goal) ? "met" : "**missed**",
      ]),
    ),
  );
  return [
    line(["bench", "what", "measured", "goal", ""]),
    line(["---", "---", "---", "---", "---"]),
    ...rows,
  ].join("\n");
}

function plots({ name, plots: all }: StoredFinding): string {
  return all
    .map((bars, at) => {
      const file = `bench-${name}${all.length > 1 ? `-${at + 1}` : ""}.svg`;
      writeFileSync(join(IMAGES, file), barsSvg(bars));
      return `![${bars.title}](images/${file})`;
    })
    .join("\n\n");
}

function section(finding: StoredFinding): string {
  const { name, question, method, tables, versions = {}, machine } = finding;
  const peers = Object.entries(versions).map(([peer, version]) => `${peer} ${version}`);
  const measured = [
    `Measured ${machine.date}`,
    `Node ${machine.node}`,
    `${machine.cpus} cores (${machine.processor}), ${machine.memoryGb} GB`,
    ...(machine.load === undefined ? [] : [`load average ${machine.load} before the start`]),
    ...peers,
  ].join("; ");
  const parts = [
    `## ${name}`,
    `${question} ${method}`,
    ...tables.map(table),
    plots(finding),
    `${measured}. Again: \`npm run bench ${name}\`.`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

mkdirSync(IMAGES, { recursive: true });
for (const old of readdirSync(IMAGES).filter((name) => name.startsWith("bench-"))) rmSync(join(IMAGES, old));
const all = findings();
const met = all.flatMap(({ goals }) => goals).filter(isMet).length;
const count = all.flatMap(({ goals }) => goals).length;
const page = `# Benchmarks

Written by \`bench/report.ts\` from \`bench/results/*.json\`; do not edit. Each benchmark measures Capstan and its peers in the
same run, alternating, on the same machine, so that ratios are comparable even where absolute figures are not. A ratio still varies, by
10 % and more for turns and first tokens: it is the median over the rounds, and the two figures after it are the range. A goal that is met by less than that may be missed
the next time. ${met} of ${count} goals are met.

${summary(all)}

To run them: \`npm install\` in \`bench/\` (peers are installed nowhere else), then \`npm run bench [name]\` and
\`node bench/report.ts\`. Routing quality is in [routing.md](routing.md), injected faults are in [reliability.md](reliability.md).

${all.map(section).join("\n\n")}
`;
writeFileSync(join(DOCS, "benchmarks.md"), page);
console.log(`docs/benchmarks.md: ${all.length} benches, ${met} of ${count} goals met.`);
