import { expect, test } from "vitest";
import { printList, printTable } from "./print-table.ts";

const ROWS = [
  ["a", "one"],
  ["long name", "two words  and more"],
];

test("columns are aligned, and the last is cut at the edge of the screen", () => {
  expect(printTable(ROWS, 31)).toBe("a          one\nlong name  two words and more\n");
  expect(printTable([["x".repeat(10), "y".repeat(40)]], 32)).toBe(`${"x".repeat(10)}  ${"y".repeat(19)}…\n`);
});

test("nothing is cut where there is no screen", () => {
  expect(printTable([["x", "y".repeat(500)]], Number.POSITIVE_INFINITY)).toBe(`x  ${"y".repeat(500)}\n`);
});

test("an empty list says so", () => {
  expect(printList(["ID"], [], 80, "Nothing waits.")).toBe("Nothing waits.\n");
  expect(printList(["ID"], [["1"]], 80, "Nothing waits.")).toBe("ID\n1\n");
});
