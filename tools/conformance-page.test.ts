/** docs/conformance.md is true: each row names a test that exists, by file and title, or the issue that it waits for. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const rows = readFileSync(join(ROOT, "docs/conformance.md"), "utf8")
  .split("\n")
  .filter((line) => /^\| \d{3} /.test(line));

describe("docs/conformance.md", () => {
  test("names for every row a test that exists, or the issue it waits for", () => {
    const faults = rows.flatMap((row) => {
      const fault = faultOf(row.split(" | ").at(-1)?.replace(/ \|$/, "") ?? "");
      return fault ? [`${row.split(" | ")[0]}: ${fault}`] : [];
    });
    expect(faults).toEqual([]);
  });

  test("lists the testable statements of 000 and 001, and every other specification", () => {
    const count = (specification: string) =>
      rows.filter((row) => row.startsWith(`| ${specification} `)).length;
    expect(count("000") + count("001")).toBeGreaterThanOrEqual(165);
    for (const specification of ["002", "003", "004"]) expect(count(specification)).toBeGreaterThan(30);
  });

  test("lists no statement twice", () => {
    const statements = rows.map((row) => row.split(" | ").slice(0, 2).join(": "));
    expect(statements.filter((statement, index) => statements.indexOf(statement) !== index)).toEqual([]);
  });
});

function faultOf(shown: string): string | undefined {
  if (/^open: \w+/.test(shown)) return undefined;
  const [, file = "", title = ""] = /^`([^`]+)` > (.+)$/.exec(shown) ?? [];
  if (!existsSync(join(ROOT, file)) || file === "") return `no file in ${shown}`;
  const text = readFileSync(join(ROOT, file), "utf8").replaceAll('\\"', '"');
  const isThere = [`"${title}"`, `\`${title}\``, `'${title}'`].some((quoted) => text.includes(quoted));
  return isThere ? undefined : `${file} has no test "${title}"`;
}
