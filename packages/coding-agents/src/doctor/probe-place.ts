/** The folder of one probe: its own home, a working folder with marker files, a skill, an image and an MCP server. */
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { McpServerConfig } from "@capstan/core/internal";

/** Unique words, which prove that a file reached the model. */
export const MARKS = {
  agentsMd: "capstan-probe-agents-md-7731",
  skill: "capstan-probe-skill-7732",
  memory: "capstan-probe-memory-7733",
  mcp: "capstan-probe-mcp-7734",
  mentioned: "capstan-probe-mentioned-7735",
} as const;

/** The start of the image as base64; CLIs may re-encode it, so its type on the wire counts as well. */
export const IMAGE_BASE64 =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export interface ProbePlace {
  readonly home: string;
  readonly cwd: string;
  readonly skill: string;
  readonly image: string;
  readonly mcpServer: McpServerConfig;
  /** Whether an agent connected to the server and listed its tools. */
  mcpServerWasAsked(): Promise<boolean>;
  write(files: readonly { readonly path: string; readonly content: string }[]): Promise<void>;
  remove(): Promise<void>;
}

export async function makeProbePlace(): Promise<ProbePlace> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-probe-"));
  const at = (...parts: string[]) => join(folder, ...parts);
  const asked = at("mcp-asked");
  const write: ProbePlace["write"] = async (files) => {
    for (const { path, content } of files) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
  };
  await mkdir(at("home"), { recursive: true });
  await write([
    { path: at("work", "AGENTS.md"), content: `Remember ${MARKS.agentsMd}.\n` },
    { path: at("work", "x"), content: `${MARKS.mentioned}\n` },
    { path: at("skills", "capstan-probe-tides", "SKILL.md"), content: skillText() },
    { path: at("mcp-server.mjs"), content: mcpServerText(asked) },
  ]);
  await writeFile(at("dot.png"), Buffer.from(IMAGE_BASE64, "base64"));
  return {
    home: at("home"),
    cwd: at("work"),
    skill: at("skills", "capstan-probe-tides"),
    image: at("dot.png"),
    mcpServer: { name: "probe", command: process.execPath, args: [at("mcp-server.mjs")] },
    mcpServerWasAsked: () => exists(asked),
    write,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const skillText = () => `---
name: capstan-probe-tides
description: Tide tables, ${MARKS.skill}.
---
High water at noon.
`;

/** A minimal MCP server: initializes, lists one tool and answers its call; listing the tools writes a file. */
const mcpServerText = (asked: string) => `import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
const tools = [{ name: "capstan_probe", description: "Says yes.", inputSchema: { type: "object", properties: {} } }];
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "probe", version: "1.0.0" },
  }),
  "tools/list": () => {
    writeFileSync(${JSON.stringify(asked)}, "asked");
    return { tools };
  },
  "tools/call": () => ({ content: [{ type: "text", text: "${MARKS.mcp}" }] }),
  ping: () => ({}),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const result = answer ? { result: answer(params ?? {}) } : { error: { code: -32601, message: "unknown" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...result }) + "\\n");
});
`;
