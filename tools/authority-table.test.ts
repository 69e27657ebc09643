import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { COMMANDS } from "../packages/cli/src/command-table.ts";
import { OPEN_ROUTES } from "../packages/server/src/fixtures/open-routes.ts";
import {
  COMMAND_CELLS,
  commandWords,
  LOCAL_COMMANDS,
} from "../packages/server/src/fixtures/protocol-cells.ts";
import { withTable } from "./authority-table.ts";

test("docs/security.md shows the table that routes and the gate decide by: `node tools/authority-table.ts`", () => {
  const page = readFileSync(new URL("../docs/security.md", import.meta.url), "utf8");
  expect(page).toBe(withTable(page));
});

/** Routes without a right in their definition, and why; every-route.live.test.ts tries them too. */
const DECIDED_ELSEWHERE: readonly (readonly [start: string, why: string])[] = [
  ["app.on(method.toUpperCase(), pattern", "only refuses, in organisations after the first"],
  ['routes.all("/mcp"', "a token brings its agent along; of a key, mcpCaller asks the table"],
  ['routes.get("*"', "the studio's built files, which are public"],
];
const PUBLIC = [...Object.keys(OPEN_ROUTES), "GET /v1/agents/:id/a2a/.well-known/agent-card.json"].map(
  (route) => `"${route.split(" ")[1]}"`,
);

test("every route names its cell of the table", () => {
  const root = new URL("../packages/server/src/", import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.includes(".test.") && !name.includes("fixtures/"),
  );
  const without = files.flatMap((name) => {
    const text = readFileSync(new URL(name, root), "utf8");
    return undecidedRoutes(text).map((start) => `${name}: ${start.slice(0, 80)}`);
  });
  expect(without).toEqual([]);
});

test.each([
  'createRoute({\n  method: "get",\n  path: "/v1/all",\n});',
  'routes.get("/v1/all", (c) => c.json(everything));',
  'routes.post("/v1/all", limit(needsNothing), async (c) => c.json(everything));',
  'newRoutes().get("/v1/all", (c) => c.json(everything));',
])("a route without one is found: %j", (text) => {
  expect(undecidedRoutes(text)).toHaveLength(1);
});

/** The routes of a source file that have no right in their definition: by itself, or by a name that stands for one. */
function undecidedRoutes(text: string): string[] {
  const named = [...text.matchAll(/const (\w+) = (?:requireRight\(|\{\s*\.\.\.needs\()/g)].map(
    ([, name]) => name,
  );
  const guards = [
    "requireRight\\(",
    "\\.\\.\\.needs\\(",
    ...named.map((name) => `(?:\\.\\.\\.|, )${name}\\b`),
  ];
  const isDecided = (words: string) =>
    new RegExp(guards.join("|")).test(words) ||
    PUBLIC.some((path) => words.includes(path)) ||
    DECIDED_ELSEWHERE.some(([start]) => words.startsWith(start));
  const made = text.split("createRoute({").slice(1);
  const raw = text.matchAll(
    /(?:\b(?:routes|app)|newRoutes\(\))\.(?:get|post|put|patch|delete|all|on)\([\s\S]*?(?:=>|;)/g,
  );
  return [...made.map((rest) => rest.split("\n});")[0] ?? ""), ...[...raw].map(([start]) => start)].filter(
    (words) => !isDecided(words),
  );
}

test("every verb of every command has its cell, or acts as who types it", async () => {
  const typed = [...COMMAND_CELLS.map(({ type }) => type), ...LOCAL_COMMANDS];
  const isKnown = (words: string) => typed.some((each) => `${each} `.startsWith(`${words} `));
  const missing = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, { load }]) =>
      commandWords(name, (await load()).usage).filter((words) => !isKnown(words)),
    ),
  );
  expect(missing.flat(), "add rows to packages/server/src/fixtures/protocol-cells.ts").toEqual([]);
});
