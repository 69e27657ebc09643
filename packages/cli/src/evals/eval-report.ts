/** An evaluation as text for a terminal, as Markdown for a comment, and as JUnit XML for a build server. */
import { printTable } from "../print-table.ts";
import { type EvalCell, type EvalResult, shownScore } from "./eval-result.ts";

const MOST_LISTED = 20;

export function evalText(result: EvalResult, faults: readonly string[]): string {
  const head = ["", ...scorersIn(result)];
  const rows = result.figures.variants.map(({ variant }) => [
    nameOf(result, variant),
    ...scorersIn(result).map((scorer) => figureText(result, variant, scorer)),
  ]);
  return [
    `${result.dataset}: ${result.cells.length} cells, $${result.costUsd.toFixed(4)}${result.experimentId ? `, experiment ${result.experimentId}` : ""}\n\n`,
    printTable([head, ...rows], Number.POSITIVE_INFINITY),
    ...section("Worse than the first", regressionLines(result)),
    ...section("Flaky", flakyLines(result)),
    faults.length === 0 ? "\nPassed\n" : `\nNot passed:\n${faults.map((fault) => `  ${fault}\n`).join("")}`,
  ].join("");
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`\n${title}:\n`, ...shortList(lines).map((line) => `  ${line}\n`)];

const shortList = (lines: readonly string[]): string[] =>
  lines.length > MOST_LISTED
    ? [...lines.slice(0, MOST_LISTED), `and ${lines.length - MOST_LISTED} more`]
    : [...lines];

const scorersIn = ({ figures }: EvalResult): string[] => [
  ...new Set(figures.variants.flatMap(({ scorers }) => scorers.map(({ scorer }) => scorer))),
];

const nameOf = ({ variants }: EvalResult, variant: number): string =>
  variants[variant] ?? `variant ${variant}`;

/** `0.75 [0.45, 0.92] -0.25 p=0.03` */
function figureText({ figures }: EvalResult, variant: number, scorer: string): string {
  const own = figures.variants[variant]?.scorers.find((each) => each.scorer === scorer);
  if (!own) return "";
  const pair = figures.pairs.find((each) => each.variant === variant && each.scorer === scorer);
  const sign = pair && pair.difference > 0 ? "+" : "";
  const compared = pair ? ` ${sign}${shownScore(pair.difference)} p=${shownScore(pair.p_adjusted)}` : "";
  return `${shownScore(own.mean)} [${shownScore(own.low)}, ${shownScore(own.high)}]${compared}`;
}

const regressionLines = (result: EvalResult): string[] =>
  result.figures.regressions.map(
    ({ item_id, scorer, variant, before, after, why }) =>
      `${item_id}, ${scorer}, ${nameOf(result, variant)}: ${shownScore(before)} -> ${shownScore(after)}${why ? ` (${why})` : ""}`,
  );

const flakyLines = (result: EvalResult): string[] =>
  result.figures.flaky.map(
    ({ item_id, scorer, variant, passed, of }) =>
      `${item_id}, ${scorer}, ${nameOf(result, variant)}: ${passed} of ${of} passed`,
  );

export function evalMarkdown(result: EvalResult, faults: readonly string[]): string {
  const scorers = scorersIn(result);
  const line = (cells: readonly string[]) => `| ${cells.map(inCell).join(" | ")} |`;
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0
      ? []
      : ["", `**${title}**`, "", ...shortList(lines).map((each) => `- ${inLine(each)}`)];
  return [
    `### ${faults.length === 0 ? "✅ Passed" : "❌ Not passed"}: ${inLine(result.dataset)}`,
    "",
    ...faults.map((fault) => `- ${inLine(fault)}`),
    ...(faults.length > 0 ? [""] : []),
    line(["variant", ...scorers]),
    line(["---", ...scorers.map(() => "---")]),
    ...result.figures.variants.map(({ variant }) =>
      line([nameOf(result, variant), ...scorers.map((scorer) => figureText(result, variant, scorer))]),
    ),
    ...list("Worse than the first", regressionLines(result)),
    ...list("Flaky", flakyLines(result)),
    "",
    `${result.cells.length} cells, $${result.costUsd.toFixed(4)}. Mean [95 % interval], difference to the first, p after Holm.`,
    "",
  ].join("\n");
}

/** Text of others must not become markup of the comment. */
const inLine = (text: string): string =>
  text.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_{}[\]<>#|!]/g, (sign) => `\\${sign}`);
const inCell = (text: string): string => (text === "---" ? text : inLine(text));

export function evalJunit(result: EvalResult): string {
  const suites = result.variants.map((name, variant) => {
    const cases = result.cells.filter((cell) => cell.variant === variant).flatMap(testCases);
    const count = (kind: string) => cases.filter((each) => each.includes(`<${kind} `)).length;
    const attributes = `name="${xml(name)}" tests="${cases.length}" failures="${count("failure")}" errors="${count("error")}" skipped="${count("skipped")}"`;
    return `  <testsuite ${attributes}>\n${cases.join("")}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${xml(result.dataset)}">\n${suites.join("")}</testsuites>\n`;
}

function testCases(cell: EvalCell): string[] {
  const name = cell.repeat === 0 ? cell.item_id : `${cell.item_id} (repeat ${cell.repeat + 1})`;
  const seconds = (cell.model_ms / 1000).toFixed(3);
  const one = (scorer: string, body: string) =>
    `    <testcase name="${xml(name)}" classname="${xml(scorer)}" time="${seconds}">${body}</testcase>\n`;
  if (cell.status !== "done")
    return [one("run", `<error message="${xml(cell.failure?.message ?? cell.status)}"/>`)];
  return cell.scores.map(({ scorer, score, passed, why, error }) => {
    if (error !== null) return one(scorer, `<error message="${xml(error)}"/>`);
    if (passed === null) return one(scorer, '<skipped message="nobody has reviewed it yet"/>');
    if (passed) return one(scorer, "");
    const message = `${shownScore(score ?? 0)}${why ? `: ${why}` : ""}`;
    return one(scorer, `<failure message="${xml(message)}">${xml(cell.answer ?? "")}</failure>`);
  });
}

/** Control characters have no place in XML, not even escaped. */
const xml = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
    .replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
