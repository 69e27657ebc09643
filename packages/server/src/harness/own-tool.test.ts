import { expect, test } from "vitest";
import { ownTool } from "./own-tool.ts";

test.each([
  ["mcp__capstan__add", "add"],
  ["mcp_capstan_add", "add"],
  ["capstan-web_fetch", "web_fetch"],
  ["capstan_read_file", "read_file"],
  ["capstan/add", "add"],
  ["capstan.add", "add"],
  ["Tool: capstan/add", "add"],
  ["add (capstan MCP Server)", "add"],
  ["Bash", undefined],
  ["run_shell_command", undefined],
  ["mcp__other__add", undefined],
  ["capstan", undefined],
])("%s means %s", (said, tool) => {
  expect(ownTool(said)).toBe(tool);
});
