import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { matrixMarkdown } from "../built-in/matrix.ts";
import {
  departuresMarkdown,
  effortMarkdown,
  installMarkdown,
  pluginsMarkdown,
  transportsMarkdown,
} from "./docs-tables.ts";

const page = readFileSync(new URL("../../../../docs/coding-agents.md", import.meta.url), "utf8");

test.each([
  ["the matrix", matrixMarkdown()],
  ["every departure from the seed", departuresMarkdown()],
  ["the effort table", effortMarkdown()],
  ["the transports", transportsMarkdown()],
  ["the plugin matrix", pluginsMarkdown()],
  ["the ways to install", installMarkdown()],
])("docs/coding-agents.md shows %s as the code has it", (_, table) => {
  expect(page).toContain(table);
});
