/**
 * Adapter for Cursor's CLI, from its documentation: JSON lines when all is allowed or denied, ACP when a person must be asked
 * or MCP servers are given.
 */

import type { AdapterRun, RunOptions, RunPlace } from "@capstan/core/internal";
import { cursorManifest } from "../manifests/cursor.ts";
import { cursorModels } from "../models/cursor.ts";
import { commandModels } from "../models/model-sources.ts";
import { readCursorModels } from "../models/read-model-lists.ts";
import { cursorSessions } from "../sessions/cursor-sessions.ts";
import { cursorDialect } from "../thinking/thinking-dialects.ts";
import { acpRun } from "./acp-run.ts";
import { cursorReader } from "./cursor-reader.ts";
import { defineAdapter } from "./define-adapter.ts";
import { flag, withFilePaths, withInstructions } from "./run-parts.ts";

export const cursorAdapter = defineAdapter({
  manifest: cursorManifest,
  environment: /^CURSOR_/,
  thinking: [cursorDialect],
  models: cursorModels,
  modelSource: commandModels(["agent", "models"], readCursorModels),
  sessions: cursorSessions,
  reader: cursorReader,
  stateVariables: /^CURSOR_CONFIG_DIR$/,
  chooseTransport: (options) => (needsAcp(options) ? "acp" : "stream-json"),
  open: (options, place) =>
    place.transport === "acp" ? openAcp(options, place) : openStream(options, place),
});

const needsAcp = ({ approvalMode, mcpServers = [] }: RunOptions) =>
  approvalMode === "prompt" || mcpServers.length > 0;

function openStream(options: RunOptions, place: RunPlace): AdapterRun {
  return {
    argv: [
      ...["agent", "-p", "--output-format", "stream-json"],
      ...(options.stream === false ? [] : ["--stream-partial-output"]),
      ...flag("--model", place.model),
      ...flag("--resume", options.sessionId),
      ...(options.approvalMode === "yolo" ? ["--force"] : []),
      ...["--workspace", place.cwd],
      ...["--", withFilePaths(withInstructions(options), place.attachments)],
    ],
    env: { ...place.thinking.env },
    files: [],
    ...cursorReader(),
  };
}

const openAcp = (options: RunOptions, place: RunPlace): AdapterRun =>
  acpRun({ argv: ["agent", "acp"], quirks: {} }, options, place);
