import { describe, expect, test } from "vitest";
import { COMMANDS } from "./command-table.ts";
import { readUsage } from "./verb-usage.ts";

const USAGE =
  'capstan x [list [--agent <id>] | add <name> --limit <n> [--at ask|deny] | diff <id> <from> [<to>] | send <id> "<text>" --in a,b | put <file.csv | run ...> | tag <id> [on | off] | at --cron "0 9 * * 1-5"] [--json-file <f>]';

describe("a usage says what a verb takes", () => {
  test.each<[verb: string, options: string[], most: number]>([
    ["list", ["agent", "json-file"], 0],
    ["add", ["limit", "at", "json-file"], 1],
    ["diff", ["json-file"], 3],
    ["send", ["in", "json-file"], 2],
    ["put", ["json-file"], Number.POSITIVE_INFINITY],
    ["tag", ["json-file"], 2],
    ["at", ["cron", "json-file"], 0],
  ])("%s: %j, %d", (verb, options, most) => {
    const read = readUsage(USAGE, verb);
    expect([...(read?.options ?? [])]).toEqual(options);
    expect(read?.mostArguments).toBe(most);
  });

  test("nothing of a verb that it does not name", () => {
    expect(readUsage(USAGE, "remove")).toBeUndefined();
    expect(readUsage("capstan run <task>", "run")).toBeUndefined();
  });
});

test("examples of every command keep to its usage", async () => {
  for (const { load } of Object.values(COMMANDS)) {
    const { usage, examples = [] } = await load();
    for (const example of examples) {
      const [, , verb = "", ...rest] = example.split(" ");
      const read = readUsage(usage, verb);
      const said = rest.filter((word) => word.startsWith("--")).map((word) => word.slice(2));
      if (read) expect(said.filter((name) => read.others.has(name) && !read.options.has(name))).toEqual([]);
    }
  }
});
