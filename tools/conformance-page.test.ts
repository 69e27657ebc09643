/** Every row of docs/conformance.md and docs/clients.md names an existing test, by file and title, or an open issue. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const rowsOf = (page: string, isRow: RegExp) =>
  readFileSync(join(ROOT, page), "utf8")
    .split("\n")
    .filter((line) => isRow.test(line));
const rows = rowsOf("docs/conformance.md", /^\| \d{3} /);

describe("docs/conformance.md", () => {
  test("names for every row a test that exists, or the issue it waits for", () => {
    expect(rows.flatMap(faultsOf)).toEqual([]);
  });

  test("lists the testable statements of 000, 001, 003 and 004, and every other specification", () => {
    const count = (specification: string) =>
      rows.filter((row) => row.startsWith(`| ${specification} `)).length;
    expect(count("000") + count("001")).toBeGreaterThanOrEqual(165);
    expect(count("002")).toBeGreaterThan(30);
    for (const specification of ["003", "004"]) expect(count(specification)).toBeGreaterThanOrEqual(77);
  });

  test("lists no statement twice", () => {
    const statements = rows.map((row) => row.split(" | ").slice(0, 2).join(": "));
    expect(statements.filter((statement, index) => statements.indexOf(statement) !== index)).toEqual([]);
  });
});

test("docs/clients.md names for every promise a test that exists", () => {
  const promises = rowsOf("docs/clients.md", /^\| (?!promise |---)/);
  expect(promises.flatMap(faultsOf)).toEqual([]);
  expect(promises.length).toBeGreaterThan(80);
});

function faultsOf(row: string): string[] {
  const fault = faultOf(row.split(" | ").at(-1)?.replace(/ \|$/, "") ?? "");
  return fault ? [`${row.split(" | ")[0]}: ${fault}`] : [];
}

function faultOf(shown: string): string | undefined {
  if (/^open: \w+/.test(shown)) return undefined;
  const [, file = "", title = ""] = /^`([^`]+)` > (.+)$/.exec(shown) ?? [];
  if (!existsSync(join(ROOT, file)) || file === "") return `no file in ${shown}`;
  const text = readFileSync(join(ROOT, file), "utf8").replaceAll('\\"', '"');
  const isThere = [`"${title}"`, `\`${title}\``, `'${title}'`].some((quoted) => text.includes(quoted));
  return isThere ? undefined : `${file} has no test "${title}"`;
}
