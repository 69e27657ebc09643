import { expect, test } from "vitest";
import { answerCodes } from "./exit-codes.ts";
import { proposeManifest } from "./propose-manifest.ts";
import { readHelp } from "./read-help.ts";

test.each([
  [
    "diff",
    "Exit status is 0 if inputs are the same, 1 if different, 2 if trouble.",
    { 1: "Exit code 1: if different." },
  ],
  [
    "grep",
    "Exit status is 0 if any line (or file) is selected, 1 otherwise;\nif any error occurs and -q is not given, the exit status is 2.",
    { 1: "Exit code 1: otherwise." },
  ],
  ["shellcheck", "Usage: shellcheck [OPTIONS...] FILES...", { 1: "The files were checked and have issues." }],
])("of %s the codes that are an answer are proposed", (program, help, codes) => {
  expect(answerCodes(program, help)).toEqual(codes);
});

test.each([
  "Exit status is 0 if successful, 1 otherwise.",
  "Exit status is 0 if OK, 1 if minor problems, 2 if serious trouble.",
  "The exit code is 0 if the file is valid, 1 if it is invalid or an error occurs.",
  "Prints its input.",
])("a failure is never proposed as an answer: %s", (help) => {
  expect(answerCodes("tool", help)).toBeUndefined();
});

test("the proposed manifest of a program contains them", () => {
  const help = readHelp("Usage: shellcheck [OPTIONS...] FILES...", "shellcheck");
  const named = {
    name: "shellcheck",
    command: "capstan-cli-shellcheck",
    program: "shellcheck",
    version: "1.0.0",
  };
  const { manifest } = proposeManifest({ ...named, help, subcommands: [] });
  expect(manifest.actions[0]?.exit_codes).toEqual({ 1: "The files were checked and have issues." });
});
