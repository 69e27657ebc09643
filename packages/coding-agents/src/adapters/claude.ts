/**
 * Adapter for Claude Code: stream-json both ways, so that approvals, interrupts and messages have a channel.
 *
 * Permission questions are always sent to us (`--permission-prompt-tool stdio`); the runner answers them for `yolo` and `deny`.
 * That also avoids `--dangerously-skip-permissions`, which the CLI refuses as root.
 */

import type { AdapterRun, PlacedAttachment, RunOptions, RunPlace, SideFile } from "@capstan/core/internal";
import type { JsonObject } from "../lines/json-line.ts";
import { claudeManifest } from "../manifests/claude.ts";
import { claudeModels } from "../models/claude.ts";
import { anthropicModels } from "../models/model-sources.ts";
import { claudeSessions } from "../sessions/claude-sessions.ts";
import { claudeDialects } from "../thinking/thinking-dialects.ts";
import { claudeReader, promptBlocks, userMessage } from "./claude-reader.ts";
import { ClaudeSessionCost } from "./claude-session-cost.ts";
import { defineAdapter } from "./define-adapter.ts";
import {
  type CommandPart,
  fileText,
  flag,
  isImageFile,
  jsonFile,
  mcpServersByName,
  skillPlugin,
} from "./run-parts.ts";

export const claudeAdapter = defineAdapter({
  manifest: claudeManifest,
  environment: /^(ANTHROPIC_|CLAUDE_|MAX_THINKING_TOKENS$|DISABLE_|AWS_|GOOGLE_|CLOUD_ML_)/,
  thinking: claudeDialects,
  models: claudeModels,
  modelSource: anthropicModels,
  reader: () => claudeReader(),
  stateVariables: /^CLAUDE_CONFIG_DIR$/,
  sessions: claudeSessions,
  hidesNativeTools: true,
  open: openClaude,
});

function openClaude(options: RunOptions, place: RunPlace): AdapterRun {
  const sessionCost = new ClaudeSessionCost(options.sessionId ?? options.forkSessionId);
  const reader = claudeReader(sessionCost);
  const mcp = mcpConfig(options, place);
  const instructions = instructionFile(options, place);
  const skills = skillPlugin(options, place);
  return {
    argv: [
      ...["claude", "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"],
      ...["--permission-prompt-tool", "stdio"],
      ...(options.stream === false ? [] : ["--include-partial-messages"]),
      ...flag("--model", place.model),
      ...place.thinking.argv,
      ...sessionFlags(options, place),
      ...flag("--max-turns", options.maxTurns),
      ...schemaFlag(options),
      ...mcp.argv,
      ...instructions.argv,
      ...skills.argv,
      ...(place.nativeTools === "off" ? ["--tools", ""] : []),
    ],
    env: { ...place.thinking.env, ...mcp.env },
    files: [...mcp.files, ...instructions.files, ...skills.files],
    stdin: [
      JSON.stringify({
        type: "control_request",
        request_id: "init",
        request: { subtype: "initialize", hooks: {} },
      }),
      userMessage([...place.attachments.map(attachmentBlock), ...promptBlocks(options.prompt)]),
    ],
    enforces: ["maxTurns"],
    carriesReasons: true,
    ...(sessionCost.id !== undefined && { sideFiles: [costFile(sessionCost, place)] }),
    ...reader,
  };
}

function sessionFlags({ sessionId, forkSessionId }: RunOptions, { freshSessionId }: RunPlace): string[] {
  if (forkSessionId !== undefined) return ["--resume", forkSessionId, "--fork-session"];
  return sessionId === undefined ? ["--session-id", freshSessionId] : ["--resume", sessionId];
}

const schemaFlag = ({ outputSchema }: RunOptions): string[] =>
  outputSchema === undefined ? [] : ["--json-schema", JSON.stringify(outputSchema)];

/** The stored session, which has the cost of earlier runs. */
function costFile(cost: ClaudeSessionCost, { home, environment }: RunPlace): SideFile {
  const folder = environment.CLAUDE_CONFIG_DIR ?? `${home}/.claude`;
  return {
    pattern: `${folder}/projects/*/${cost.id}.jsonl`,
    isOurs: () => true,
    onPast: (line) => cost.takePast(line),
    onLine: () => [],
  };
}

const NOTHING: CommandPart = { argv: [], files: [] };

/** With its own tools off, only the servers of this run may offer any; those pass our gate. */
function mcpConfig({ mcpServers = [] }: RunOptions, place: RunPlace) {
  const strict = place.nativeTools === "off" ? ["--strict-mcp-config"] : [];
  if (mcpServers.length === 0) return { argv: strict, files: [], env: {} };
  const { path, file } = jsonFile(place, "mcp.json", { mcpServers: mcpServersByName(mcpServers) });
  // With its own tools, it would hide these behind a search that a model may never use.
  return { argv: ["--mcp-config", path, ...strict], files: [file], env: { ENABLE_TOOL_SEARCH: "false" } };
}

/** In a file, because prompts exceed the length limit of a command line. */
function instructionFile({ systemPrompt }: RunOptions, place: RunPlace): CommandPart {
  if (systemPrompt === undefined) return NOTHING;
  const path = `${place.folder}/instructions.md`;
  const name = place.nativeTools === "off" ? "--system-prompt-file" : "--append-system-prompt-file";
  return { argv: [name, path], files: [{ path, content: systemPrompt }] };
}

function attachmentBlock(attachment: PlacedAttachment): JsonObject {
  const { mimeType, data } = attachment;
  const source = { type: "base64", media_type: mimeType, data };
  if (isImageFile(attachment)) return { type: "image", source };
  if (mimeType === "application/pdf") return { type: "document", source };
  return { type: "text", text: fileText(attachment) };
}
