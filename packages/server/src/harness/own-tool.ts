/**
 * Resolves a program's tool name to the agent's tool: each program adds the MCP server's name before or after it, in
 * its own way.
 */

/** The MCP server's name in every program; a prefix of its tools' names. */
export const SERVER_NAME = "capstan";

const BEFORE = new RegExp(`^(?:mcp[_-]+)?${SERVER_NAME}(?:__|[-_./:]|\\s)\\s*(.+)$`, "s"); // mcp__capstan__x, capstan-x, capstan/x
const BEHIND = new RegExp(`^(.+?)\\s*\\(${SERVER_NAME}\\b[^)]*\\)$`, "s"); // x (capstan MCP Server)
const MCP_PREFIXES = /^(?:mcp[_-]+|tool:\s*)/i;

/** Undefined for one of the program's own tools. An unknown tool of the agent is named too: its call will be refused. */
export function ownTool(name: string): string | undefined {
  const bare = name.trim().replace(MCP_PREFIXES, "");
  return (BEFORE.exec(bare)?.[1] ?? BEHIND.exec(bare)?.[1])?.trim();
}
