/**
 * Adapter for Gemini CLI: ACP, which has thoughts and asks for permission; `-o stream-json` when neither is wanted.
 *
 * What is set for one run goes into a settings file above the user's own (`GEMINI_CLI_SYSTEM_SETTINGS_PATH`): thinking and MCP
 * servers have no flags.
 */
import type { AdapterRun, RunOptions, RunPlace } from "@capstan/core";
import { geminiManifest } from "../manifests/gemini.ts";
import { geminiSessions } from "../sessions/gemini-sessions.ts";
import { acpRun } from "./acp-run.ts";
import { defineAdapter } from "./define-adapter.ts";
import { geminiReader } from "./gemini-reader.ts";
import type { JsonObject } from "./json-line.ts";
import { ACP_QUIRKS } from "./readers.ts";
import { flag, jsonFile, mcpServersByName, mergeDocuments, withInstructions } from "./run-parts.ts";

export const geminiAdapter = defineAdapter({
  manifest: geminiManifest,
  environment: /^(GEMINI_|GOOGLE_)/,
  sessions: geminiSessions,
  open: (options, place) => (isPlain(options) ? openStream(options, place) : openAcp(options, place)),
});

/** Everything allowed and no thoughts asked for: the line stream tells as much, and starts a session under an id of ours. */
const isPlain = ({
  approvalMode,
  thinkingEffort,
  thinkingBudgetTokens,
  thinkingOverride,
  stream,
}: RunOptions) =>
  approvalMode === "yolo" &&
  thinkingEffort === undefined &&
  thinkingBudgetTokens === undefined &&
  thinkingOverride === undefined &&
  stream !== true &&
  stream !== "auto";

/** One process, so that signals reach it; a folder it was pointed at is a folder to trust. */
const ENVIRONMENT = { GEMINI_CLI_NO_RELAUNCH: "true", GEMINI_CLI_TRUST_WORKSPACE: "true" };

function openStream(options: RunOptions, place: RunPlace): AdapterRun {
  const { path, file } = jsonFile(place, "settings.json", settingsOf(options, place));
  const { sessionId } = options;
  return {
    argv: [
      ...["gemini", "-o", "stream-json", "--approval-mode", "yolo"],
      ...flag("-m", place.model),
      ...(sessionId === undefined ? ["--session-id", place.freshSessionId] : ["--resume", sessionId]),
      `--prompt=${atPaths(options, place)}`, // one word: a prompt may start with a dash
    ],
    env: { ...ENVIRONMENT, ...place.thinking.env, GEMINI_CLI_SYSTEM_SETTINGS_PATH: path },
    files: [file],
    enforces: ["maxTurns"],
    ...geminiReader(),
  };
}

function openAcp(options: RunOptions, place: RunPlace): AdapterRun {
  const { mcpServers: _, ...acpOptions } = options; // they are in the settings, with trust
  const { path, file } = jsonFile(place, "settings.json", settingsOf(options, place));
  return acpRun(
    {
      argv: ["gemini", "--acp", ...flag("-m", place.model)],
      env: { ...ENVIRONMENT, ...place.thinking.env, GEMINI_CLI_SYSTEM_SETTINGS_PATH: path },
      files: [file],
      quirks: ACP_QUIRKS.gemini,
    },
    acpOptions,
    place,
  );
}

function settingsOf({ mcpServers = [], maxTurns }: RunOptions, place: RunPlace): JsonObject {
  const servers = Object.entries(mcpServersByName(mcpServers)).map(([name, server]) => [
    name,
    geminiServer(server as JsonObject, place),
  ]);
  return mergeDocuments(
    place.thinking.settings,
    servers.length > 0 ? { mcpServers: Object.fromEntries(servers) } : {},
    maxTurns === undefined ? {} : { model: { maxSessionTurns: maxTurns } },
    // An empty list would mean all of them.
    place.nativeTools === "off" ? { tools: { core: ["none"] } } : {},
  );
}

/** Its own names: `httpUrl` for an address. With the CLI's tools off, our gate is the one that asks. */
function geminiServer({ type, url, ...rest }: JsonObject, { nativeTools }: RunPlace): JsonObject {
  const trust = nativeTools === "off" ? { trust: true } : {};
  return type === "http" ? { httpUrl: url, ...rest, ...trust } : { ...rest, ...trust };
}

const atPaths = (options: RunOptions, { attachments }: RunPlace): string =>
  [...attachments.map(({ path }) => `@${path}`), withInstructions(options)].join("\n");
