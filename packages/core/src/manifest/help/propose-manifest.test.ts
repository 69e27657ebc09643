import { describe, expect, test } from "vitest";
import { readManifest } from "../manifest.ts";
import { readParameter } from "../parameters.ts";
import { proposeManifest } from "./propose-manifest.ts";
import { readHelp } from "./read-help.ts";

/** One option each, as the usual libraries and programs print it. */
const NOTATIONS: readonly (readonly [string, string, string])[] = [
  [
    "commander",
    "Usage: tool [options] <input>\n\nOptions:\n  -o, --output <file>   where to write",
    "--output:path",
  ],
  ["commander", "Usage: tool\n\nOptions:\n  -q, --quiet           say nothing", "--quiet:boolean"],
  ["yargs", "Usage: tool\n\nOptions:\n  -w, --width  Image width (px)        [number]", "--width:number"],
  ["yargs", 'Usage: tool\n\nOptions:\n  -t, --type   Output type  [choices: "png", "svg"]', "--type:png|svg"],
  [
    "argparse",
    "usage: tool [-h] [--mode {fast,slow}]\n\noptions:\n  --mode {fast,slow}  how",
    "--mode:fast|slow",
  ],
  [
    "click",
    "Usage: tool [OPTIONS]\n\nOptions:\n  --level [debug|info]  How much to say.",
    "--level:debug|info",
  ],
  ["clap", "Usage: tool [OPTIONS]\n\nOptions:\n  -n, --lines <N>  How many", "--lines:integer"],
  [
    "clap",
    "Usage: tool\n\nOptions:\n      --color <WHEN>  When [possible values: auto, never]",
    "--color:auto|never",
  ],
  ["cobra", "Usage:\n  tool [flags]\n\nFlags:\n  -f, --file string   the file to read", "--file:string"],
  [
    "GNU",
    "Usage: tool [OPTION]... [FILE]...\n\n  -n, --lines=NUM   print the last NUM lines",
    "--lines:number",
  ],
  [
    "meow, by its examples",
    "Usage\n  $ tool [options]\n\nOptions\n  -s, --size  Generated size\n\nExamples\n  $ tool --size 10",
    "--size:integer",
  ],
  [
    "a switch before an argument",
    "Usage\n  $ tool [file]\n\nOptions\n  -q, --quiet  Quiet\n\nExamples\n  $ tool --quiet a.txt",
    "--quiet:boolean",
  ],
  [
    "GNU",
    "Usage: tool [OPTION]...\n\n  -n, --head-count=COUNT   at most COUNT lines",
    "--head-count:integer",
  ],
  ["pandoc", "tool [OPTIONS] [FILES]\n  -f FORMAT, -r FORMAT  --from=FORMAT, --read=FORMAT", "--from:string"],
  [
    "single dashes",
    "usage: tool [options] outfile\n\nMain options:\n-loglevel loglevel  set logging level",
    "-loglevel:string",
  ],
  ["short only", "Usage: tool [options]\n\nOptions:\n  -c               compact output;", "-c:boolean"],
  [
    "prose below",
    "Usage: tool\n\nOptions:\n-i --increment [<level>]\n        Level can be one of: major, minor, or patch.",
    "--increment:major|minor|patch",
  ],
  [
    "a manual page",
    "OPTIONS\n        • -o, --output [output file]\n          Specify file output.",
    "--output:path",
  ],
  [
    "two columns",
    "Usage: tool FILES...\n  -i CODE1,CODE2..    --include=CODE1,CODE2..    Consider only given types",
    "--include:string",
  ],
  [
    "two columns, lower case",
    "Usage: tool FILES...\n  -o check1,check2..  --enable=check1,check2..   List of optional checks",
    "--enable:string",
  ],
  [
    "choices in brackets",
    "Usage: tool FILES...\n  -f FORMAT  --format=FORMAT  Output format (gcc, json, tty)",
    "--format:gcc|json|tty",
  ],
  ["examples in brackets", "Usage: tool\n  -u UNIT  A unit (e.g. m, km, ft)", "-u:string"],
  ["an attached value", "Usage: tool <dot files>\n\n -Tv         - Set output format to 'v'", "-T:string"],
  ["an attached file", "Usage: tool <dot files>\n\n -ofile      - Write output to 'file'", "-o:path"],
  ["an attached pair", "Usage: tool\n\n -Gname=val  - Set graph attribute 'name' to 'val'", "-G:string"],
  ["a letter's own text", "Usage: tool\n\n -Lg         - Don't use grid", "-Lg:boolean"],
  [
    "no placeholders at all",
    "Usage: tool\n\nOptions:\n    -f, --file           specify a units data file",
    "--file:path",
  ],
];

describe("an option of a help text", () => {
  test.each(NOTATIONS)("in the notation of %s: %j is %s", (_, text, expected) => {
    expect(parameters(text)).toContain(expected);
  });

  test("that takes two words is left out and named", () => {
    const { notes } = proposal("Usage: tool <x>\n\nOptions:\n  --arg a v        set variable a to v");
    expect(notes).toEqual(["run: --arg was left out, a manifest cannot say it."]);
  });

  test("about the command itself is no parameter", () => {
    expect(
      parameters("Usage: tool [file]\n\nOptions:\n  -h, --help  Show help\n  --version   Show version"),
    ).toEqual(["standard input", "file:path"]);
  });
});

describe("the arguments of a usage line", () => {
  test.each([
    ["tool [options] <filter> [file...]", ["standard input", "filter:string!", "file:path..."]],
    ["tool [options] <version> [<version> [...]]", ["version:string!..."]],
    ["tool [options] <tool filter>", ["filter:string!"]],
    [
      "tool [options] [[infile options] -i infile]... {[outfile options] outfile}...",
      ["outfile:path!...", "-i:path"],
    ],
    ["tool [options] ['from-unit' 'to-unit']", ["from_unit:string", "to_unit:string"]],
    ["tool [-v] <dot files>", ["dot_files:path!...", "-v:boolean"]],
    ["tool -i FILE <name>", ["name:string!", "-i:path"]],
    ["tool [options] [file/dir/glob ...]", ["standard input", "file_dir_glob:path..."]],
    ["tool <command> [args]", ["args:string..."]],
    ["/usr/bin/tool [options] <filter>", ["filter:string!"]],
    ["cli.js [options] <filter>", ["filter:string!"]],
    ["tool install all the things in here", ["arguments:string..."]],
  ])("%s", (usage, expected) => {
    expect(parameters(`Usage: ${usage}\n`)).toEqual(expected);
  });
});

test("an argument is described by the option of its name", () => {
  const help = 'Usage: tool [INPUT...]\n\nOptions:\n  -i, --input <INPUT...>  Input files, "-" for STDIN';
  expect(parameters(help)).toContain("input:path...");
});

describe("a command with subcommands", () => {
  const text =
    "Usage: tool <command>\n\nCommands:\n  list            List all things\n  rm, remove <x>  Remove a thing\n";

  test("is found under a heading with a placeholder, and by names with aliases", () => {
    const help = `Usage: tool [<options>] <command>\nwhere <command> is one of:
  ed    (or edit)      - Edit documents\n  c14n  (or canonic)   - Canonical form
<options> are:\n  -q or --quiet        - no error output\n`;
    expect(readHelp(help, "tool").subcommands).toEqual([
      { name: "ed", description: "Edit documents" },
      { name: "c14n", description: "Canonical form" },
    ]);
  });

  test("has an action for each, with the risk that its name tells", () => {
    const { subcommands } = readHelp(text, "tool");
    const { manifest } = proposal(
      text,
      subcommands.map(({ name, description }) => ({ name, about: description })),
    );
    expect(manifest.actions.map(({ name, risk, description }) => [name, risk, description])).toEqual([
      ["list", "read", "List all things"],
      ["rm", "irreversible", "Remove a thing"],
    ]);
  });
});

test("what is proposed is a valid manifest, whatever the text", () => {
  for (const [, text] of NOTATIONS) expect(readManifest(proposal(text).manifest)).toMatchObject({ ok: true });
});

test("a command without subcommands passes no word of its own", () => {
  expect(proposal("Usage: tool <x>").manifest.actions[0]).toMatchObject({ name: "run", fixed_arguments: [] });
});

const proposal = (text: string, subcommands: { name: string; about: string }[] = []) =>
  proposeManifest({
    name: "tool",
    command: "capstan-cli-tool",
    program: "tool",
    version: "1.0.0",
    help: readHelp(text, "tool"),
    subcommands,
  });

const parameters = (text: string): string[] =>
  (proposal(text).manifest.actions[0]?.parameters ?? []).map(readParameter).map((each) => {
    if (each.stdin) return "standard input";
    const type = each.choices ? each.choices.join("|") : each.value;
    return `${each.flag ?? each.key}:${type}${each.required ? "!" : ""}${each.repeatable ? "..." : ""}`;
  });
