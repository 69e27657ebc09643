/** Which of the agent's tools a program means: each puts the server's name before or behind a tool's, in its own way. */

/** What the agent's tools are called under, in every program; the names of its tools begin with it. */
export const SERVER_NAME = "capstan";

const BEFORE = new RegExp(`^(?:mcp[_-]+)?${SERVER_NAME}(?:__|[-_./:]|\\s)\\s*(.+)$`, "s"); // mcp__capstan__x, capstan-x, capstan/x
const BEHIND = new RegExp(`^(.+?)\\s*\\(${SERVER_NAME}\\b[^)]*\\)$`, "s"); // x (capstan MCP Server)
const MCP_PREFIXES = /^(?:mcp[_-]+|tool:\s*)/i;

/** Undefined for a tool of the program's own. One that the agent does not have is named too: its call will be refused. */
export function ownTool(name: string): string | undefined {
  const bare = name.trim().replace(MCP_PREFIXES, "");
  return (BEFORE.exec(bare)?.[1] ?? BEHIND.exec(bare)?.[1])?.trim();
}
