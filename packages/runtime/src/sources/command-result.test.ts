import { expect, test } from "vitest";
import { commandResult, lastMeaningfulLine } from "./command-result.ts";
import { manifestTools } from "./manifest-tools.ts";
import { NO_CHANGES } from "./session-folders.ts";

test.each([
  [
    "an exception of Python",
    'Traceback (most recent call last):\n  File "x.py", line 3, in <module>\nValueError: no such page\n',
    "ValueError: no such page",
  ],
  [
    "an error of Node",
    "/x.js:1\nthrow new Error('gone')\n^\n\nError: gone\n    at Object.<anonymous> (/x.js:1:7)\n    at node:internal:3:1\n\nNode.js v24.1.0\n",
    "Error: gone",
  ],
  ["a frame of rich", "╭─ Error ───╮\n│ No such option: --x │\n╰───────────╯\n", "No such option: --x"],
  ["JSON", '{"error": "not_found", "message": "There is no draft 7"}', "There is no draft 7"],
  ["a hint at the end", "error: unknown page\nTry 'tool --help' for help.\n", "error: unknown page"],
  ["nothing at all", "", ""],
])("of %s the line with the error is shown", (_, text, line) => {
  expect(lastMeaningfulLine(text)).toBe(line);
});

test.each([
  ['{"a": 1}', { a: 1 }],
  ["42", 42],
  ["1.10", "1.10"],
  ["007", "007"],
  ["12345678901234567890", "12345678901234567890"],
  ["plain text", "plain text"],
])("what a command printed, %s, is given on without losing a digit", (stdout, value) => {
  const [tool] = manifestTools({
    name: "demo",
    type: "cli",
    command: "aech-cli-demo",
    description: "Demo",
    actions: [{ name: "show", description: "Shows", parameters: [] }],
  });
  if (!tool) throw new Error("no tool");
  const outcome = { exit: "exited" as const, code: 0, stdout, stderr: "", cut: false, durationMs: 1 };
  expect(commandResult(tool, "aech-cli-demo", outcome, NO_CHANGES)).toEqual({ ok: true, value });
});

const linter = manifestTools({
  name: "lint",
  type: "cli",
  command: "capstan-cli-lint",
  description: "Lint",
  actions: [{ name: "run", description: "Lints", parameters: [], exit_codes: { 1: "Issues were found." } }],
});

test.each([
  [1, { ok: true, value: { exit_code: 1, meaning: "Issues were found.", result: "a.sh:1: unused" } }],
  [2, { ok: false, failure: { code: "command_failed" } }],
])("an exit with code %i, where 1 is declared as an answer, gives %j", (code, expected) => {
  const [tool] = linter;
  if (!tool) throw new Error("no tool");
  const outcome = {
    exit: "exited" as const,
    code,
    stdout: "a.sh:1: unused\n",
    stderr: "",
    cut: false,
    durationMs: 1,
  };
  expect(commandResult(tool, "capstan-cli-lint", outcome, NO_CHANGES)).toMatchObject(expected);
});
