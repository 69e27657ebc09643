/**
 * The recipes of ARCHITECTURE.md that have a number, as edits: each place is one file that is made or one line that is added.
 * `recipes.test.ts` compares them with the page, `recipes.long.test.ts` follows them in a copy of the tree.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Place {
  /** Below `packages/`; `acme` stands for the name of what is added. */
  readonly file: string;
  /** The file afterwards. `read` gives a file of the tree, below `packages/`. */
  readonly make: (read: (file: string) => string) => string;
}

export interface Recipe {
  /** As the first column of the page's table says it. */
  readonly adds: string;
  readonly places: readonly Place[];
}

/** A line behind the first line that holds `mark`. */
const lineBehind =
  (file: string, mark: string, line: string) =>
  (read: (file: string) => string): string => {
    const lines = read(file).split("\n");
    const at = lines.findIndex((text) => text.includes(mark));
    if (at < 0) throw new Error(`${file} has no line with ${mark}`);
    return lines.toSpliced(at + 1, 0, line).join("\n");
  };

const PROVIDERS = "runtime/src/providers/provider-table.ts";
const BUILT_IN_AGENTS = "coding-agents/src/built-in/built-in-agents.ts";
const CAPABILITIES = "builtins/src/builtin-capabilities.ts";
const WIRE = "client/src/wire/agents.ts";
const SPEC = "core/src/agent.ts";

export const RECIPES: readonly Recipe[] = [
  {
    adds: "a model provider",
    places: [
      {
        file: PROVIDERS,
        make: (read) => {
          const table = read(PROVIDERS);
          const row = /^ {2}openai: \{\n[\s\S]*?^ {2}\},\n/m.exec(table)?.[0] ?? "";
          return table.replace(
            row,
            `${row}${row.replace("openai: {", "acme: {").replace("OPENAI_", "ACME_")}`,
          );
        },
      },
    ],
  },
  {
    adds: "a coding agent",
    places: [
      {
        file: "coding-agents/src/manifests/acme.ts",
        make: (read) => named(read("coding-agents/src/manifests/hermes.ts")),
      },
      {
        file: "coding-agents/src/adapters/acme.ts",
        make: (read) =>
          named(read("coding-agents/src/adapters/hermes.ts"))
            .replace(/^import .*(models\/acme|model-sources|sessions\/acme-sessions)\.ts";\n/gm, "")
            .replace(/^ {2}models: .*\n^ {2}modelSource: .*\n^ {2}sessions: .*\n/m, ""),
      },
      {
        file: BUILT_IN_AGENTS,
        make: (read) => {
          const list = lineBehind(BUILT_IN_AGENTS, "  hermes:", "  acme: acmeAdapter,")(read);
          return lineBehind(
            BUILT_IN_AGENTS,
            " */",
            'import { acmeAdapter } from "../adapters/acme.ts";',
          )(() => list);
        },
      },
    ],
  },
  {
    adds: "a built-in capability",
    places: [
      {
        file: "builtins/src/capabilities/acme.ts",
        make: () => `/** acme: says hello. */
import { defineCapability, defineTool, ok } from "@capstan/core";
import { z } from "zod";

const sayHello = defineTool({
  name: "say_hello",
  risk: "read",
  description: "Say hello to somebody.",
  input: z.object({ name: z.string().min(1).max(100).describe("Who is greeted.") }),
  output: z.object({ text: z.string() }),
  idempotent: true,
  run: ({ name }) => ok({ text: \`Hello, \${name}.\` }),
});

export const acme = defineCapability({
  id: "acme",
  name: "Acme",
  description: "Greets people by name.",
  icon: "hand",
  category: "Utilities",
  tools: [sayHello],
  routing: {
    triggers: ["say hello", "greet somebody", "welcome a guest", "hello to a colleague", "send greetings"],
    tags: ["hello", "greeting", "welcome"],
    domain: "utilities",
    actions: ["say", "greet"],
  },
});
`,
      },
      {
        file: "builtins/src/capabilities/acme.test.ts",
        make: () => `import { expect, test } from "vitest";
import { acme } from "./acme.ts";

test("acme has one tool", () => {
  expect(acme.tools.map(({ name }) => name)).toEqual(["say_hello"]);
});
`,
      },
      {
        file: CAPABILITIES,
        make: (read) => {
          const list = lineBehind(CAPABILITIES, "    statelessTodoList,", "    acme,")(read);
          return lineBehind(
            CAPABILITIES,
            "/** ",
            'import { acme } from "./capabilities/acme.ts";',
          )(() => list);
        },
      },
    ],
  },
  {
    adds: "a field of an agent",
    places: [
      {
        file: WIRE,
        make: lineBehind(WIRE, "  allow_native_tools: z.boolean(),", "  greets_first: z.boolean(),"),
      },
      {
        file: SPEC,
        make: (read) => {
          const typed = lineBehind(
            SPEC,
            "readonly allowNativeTools",
            "  readonly greetsFirst: boolean;",
          )(read);
          return lineBehind(SPEC, "  allowNativeTools: false,", "  greetsFirst: false,")(() => typed);
        },
      },
    ],
  },
];

const named = (text: string): string => text.replaceAll("hermes", "acme").replaceAll("Hermes", "Acme");

/** The files of a recipe as they are afterwards, by their path below `packages/`. */
export function followed({ places }: Recipe, root: string): ReadonlyMap<string, string> {
  const read = (file: string) => readFileSync(join(root, "packages", file), "utf8");
  return new Map(places.map(({ file, make }) => [file, make(read)]));
}
