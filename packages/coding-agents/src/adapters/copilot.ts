/**
 * Adapter for GitHub Copilot CLI: its JSON lines; ACP when a person must be asked, because `-p` cannot ask.
 *
 * Both take the same flags. Instructions are passed as an instructions file for all paths, in the run's own folder.
 */

import { fail } from "@capstan/core";
import {
  type AdapterRun,
  type PlacedAttachment,
  type RunFile,
  type RunOptions,
  type RunPlace,
  RunRefusedError,
} from "@capstan/core/internal";
import { copilotManifest } from "../manifests/copilot.ts";
import { copilotModels } from "../models/copilot.ts";
import { commandModels } from "../models/model-sources.ts";
import { readCopilotModels } from "../models/read-model-lists.ts";
import { copilotSessions } from "../sessions/copilot-sessions.ts";
import { flagDialect } from "../thinking/thinking-dialects.ts";
import { withKeptEnd } from "./acp-message.ts";
import type { AcpQuirks } from "./acp-reader.ts";
import { acpRun } from "./acp-run.ts";
import { withStoredAnswer } from "./copilot-answer.ts";
import { copilotLog, withLoggedRetries } from "./copilot-log.ts";
import { copilotReader } from "./copilot-reader.ts";
import { defineAdapter } from "./define-adapter.ts";
import {
  flag,
  isCommand,
  isImageFile,
  jsonFile,
  mcpServersByName,
  skillLinks,
  withFileTexts,
} from "./run-parts.ts";
import { copilotUsage, withSessionUsage } from "./session-usage.ts";

/** Where its ACP differs from the protocol's. */
const QUIRKS: AcpQuirks = {
  retry: /^Info: .*Retrying/,
  warning: /^Info: /,
  error: /^Error: /,
  silenceIsFailure: true,
  trimsEnd: true,
};

export const copilotAdapter = defineAdapter({
  manifest: copilotManifest,
  environment: /^(COPILOT_|GH_|GITHUB_)/,
  thinking: [flagDialect("--reasoning-effort", "reasoning_effort", "reasoning_effort")],
  models: copilotModels,
  modelSource: commandModels(["copilot", "help", "config"], readCopilotModels),
  reader: () => copilotReader(),
  quirks: QUIRKS,
  stateVariables: /^COPILOT_HOME$/,
  sessions: copilotSessions,
  hidesNativeTools: true,
  chooseTransport: ({ approvalMode, prompt }) =>
    approvalMode === "prompt" || isCommand(prompt) ? "acp" : "json",
  open: (options, place) => (place.transport === "acp" ? openAcp(options, place) : openJson(options, place)),
});

/** Of its own commands, `-p` runs this one, and the model does not get the prompt. */
const RUN_AS_COMMAND = /^\s*\/compact\b/i;

function openJson(options: RunOptions, place: RunPlace): AdapterRun {
  if (RUN_AS_COMMAND.test(options.prompt)) {
    const why = "the program runs `/compact` as a command of its own";
    const refused = { agent: "copilot", transport: place.transport, why };
    throw new RunRefusedError(fail("coding_agent_text_refused", refused).failure);
  }
  const { env, files, argv } = launch(options, place);
  const sessionId = options.sessionId ?? place.freshSessionId;
  return {
    argv: [
      ...["copilot", "--output-format", "json", "--no-ask-user", ...argv],
      ...(options.approvalMode === "yolo" ? ["--allow-all"] : []),
      // `--session-id` of an unknown session would silently start one with that id.
      `${options.sessionId === undefined ? "--session-id" : "--resume"}=${sessionId}`,
      ...place.attachments.filter(isSentWhole).flatMap(({ path }) => ["--attachment", path]),
      ...(options.stream === false ? ["--stream", "off"] : []),
    ],
    input: withKeptEnd(
      withFileTexts(
        options.prompt,
        place.attachments.filter((attachment) => !isSentWhole(attachment)),
      ),
    ),
    env,
    files,
    ...withSessionUsage(copilotReader(sessionId), copilotUsage, place, sessionId),
  };
}

/** For other files its model only gets the name. */
const isSentWhole = (attachment: PlacedAttachment): boolean =>
  isImageFile(attachment) || attachment.mimeType === "application/pdf";

function openAcp(options: RunOptions, place: RunPlace): AdapterRun {
  const { env, files, argv } = launch(options, place);
  const log = copilotLog(place);
  const parts = {
    argv: ["copilot", "--acp", ...argv, ...log.argv],
    env,
    files: [...files, ...log.files],
    quirks: QUIRKS,
    prompt: options.prompt,
  };
  const { mcpServers: _, ...rest } = options; // named at launch: the list of visible tools is read then
  // The effort is a launch flag too; as a session option it does not exist.
  const run = acpRun(parts, rest, { ...place, thinking: { ...place.thinking, option: null } });
  const counted = withSessionUsage(run, copilotUsage, place, options.sessionId);
  return withLoggedRetries(withStoredAnswer(counted, place, options.sessionId), place);
}

interface Launch {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly RunFile[];
}

function launch(options: RunOptions, place: RunPlace): Launch {
  const { systemPrompt, skills = [] } = options;
  const instructions = `${place.folder}/instructions`;
  const skillFolder = `${place.folder}/skills`;
  const mcp = mcpPart(options, place);
  return {
    argv: [
      ...mcp.argv,
      ...flag("--model", place.model),
      ...place.thinking.argv,
      "--no-auto-update",
      ...(skills.length > 0 ? ["--add-dir", skillFolder] : []),
      ...(place.nativeTools === "off" ? ["--disable-builtin-mcps", ...onlyMcpTools(options)] : []),
    ],
    env: {
      ...place.thinking.env,
      ...(systemPrompt !== undefined && { COPILOT_CUSTOM_INSTRUCTIONS_DIRS: instructions }),
    },
    files: [
      ...(systemPrompt === undefined ? [] : [instructionFile(instructions, systemPrompt)]),
      ...skillLinks(skills, `${skillFolder}/.github/skills`),
      ...mcp.files,
    ],
  };
}

const instructionFile = (folder: string, systemPrompt: string): RunFile => ({
  path: `${folder}/.github/instructions/run.instructions.md`,
  content: `---\napplyTo: "**"\n---\n${systemPrompt}\n`,
});

function mcpPart({ mcpServers = [] }: RunOptions, place: RunPlace): Pick<Launch, "argv" | "files"> {
  if (mcpServers.length === 0) return { argv: [], files: [] };
  const { path, file } = jsonFile(place, "mcp.json", { mcpServers: mcpServersByName(mcpServers) });
  return { argv: ["--additional-mcp-config", `@${path}`], files: [file] };
}

/** Only tools of our servers are visible, and those pass our gate. */
const onlyMcpTools = ({ mcpServers = [] }: RunOptions): string[] => [
  `--available-tools=${mcpServers.map(({ name }) => `${name}/*`).join(",") || "none"}`,
  ...mcpServers.map(({ name }) => `--allow-tool=${name}`),
];
