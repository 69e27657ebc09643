/**
 * Adapter for Gemini CLI: ACP, which supports thoughts, MCP servers and permission questions; `-o stream-json` to resume.
 *
 * Thinking and skills have no flag, only files in its home. A settings file above the user's must belong to root, so an overlay
 * of the user's home is used: links to everything in it, and the run's own settings. Sessions are stored where they always are.
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
import type { JsonObject } from "../lines/json-line.ts";
import { geminiManifest } from "../manifests/gemini.ts";
import { geminiModels } from "../models/gemini.ts";
import { googleModels } from "../models/model-sources.ts";
import { geminiSessions } from "../sessions/gemini-sessions.ts";
import { geminiDialects } from "../thinking/thinking-dialects.ts";
import type { AcpQuirks } from "./acp-reader.ts";
import { acpRun } from "./acp-run.ts";
import { defineAdapter } from "./define-adapter.ts";
import { geminiLog, withGeminiRetries } from "./gemini-log.ts";
import { geminiReader } from "./gemini-reader.ts";
import { flag, isCommand, skillLinks, withInstructions } from "./run-parts.ts";
import { geminiUsage, withSessionUsage } from "./session-usage.ts";

/** Where its ACP differs from the protocol's. */
const QUIRKS: AcpQuirks = {
  thoughtHeading: /^\*{4}\n/,
  toolOfId: (id) => /^(\w+?)__/.exec(id)?.[1],
  endsWithText: true, // it rejects an answer without text, and then reports the turn as a success
};

export const geminiAdapter = defineAdapter({
  manifest: geminiManifest,
  environment: /^(GEMINI_|GOOGLE_)/,
  thinking: geminiDialects,
  models: geminiModels,
  modelSource: googleModels,
  reader: geminiReader,
  quirks: QUIRKS,
  stateVariables: /^GEMINI_CLI_HOME$/,
  sessions: geminiSessions,
  hidesNativeTools: true,
  // Over ACP, loading a session overwrites its start and then finds it empty.
  chooseTransport: ({ sessionId }) => (sessionId === undefined ? "acp" : "stream-json"),
  open: (options, place) =>
    withGeminiRetries(
      place.transport === "stream-json" ? openStream(options, place) : openAcp(options, place),
      place,
    ),
});

interface Launch {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly RunFile[];
  /** With its own tools off, the instructions are the whole system prompt; otherwise they precede the prompt. */
  readonly prompt: string;
}

/** `settings`: what only files can set, besides thinking. */
function launch(
  options: RunOptions,
  place: RunPlace,
  settings: JsonObject = {},
  commands: readonly RunFile[] = [],
): Launch {
  const { systemPrompt, prompt } = options;
  const { thinking, nativeTools, folder } = place;
  const toolsOff = nativeTools === "off";
  const overlay = homeOverlay(options, place, settings, commands);
  const log = geminiLog(place);
  const instructions = `${folder}/instructions.md`;
  const replaced = toolsOff && systemPrompt !== undefined;
  return {
    argv: [...flag("-m", place.model), ...(toolsOff ? ["--policy", `${folder}/policy.toml`] : [])],
    env: {
      GEMINI_CLI_NO_RELAUNCH: "true", // one process, so that signals reach it
      GEMINI_CLI_TRUST_WORKSPACE: "true", // the folder it was given counts as trusted
      ...log.env,
      ...thinking.env,
      ...(overlay.length > 0 && { GEMINI_CLI_HOME: `${folder}/home` }),
      ...(replaced && { GEMINI_SYSTEM_MD: instructions }),
    },
    files: [
      ...log.files,
      ...overlay,
      ...(toolsOff ? [{ path: `${folder}/policy.toml`, content: ONLY_MCP_TOOLS }] : []),
      ...(replaced ? [{ path: instructions, content: systemPrompt }] : []),
    ],
    prompt: replaced ? prompt : withInstructions(options),
  };
}

/** A tool denied by a rule is not offered to the model at all. Ours pass our gate. */
const ONLY_MCP_TOOLS = `
[[rule]]
toolName = "*"
decision = "deny"
priority = 900

[[rule]]
mcpName = "*"
toolName = "*"
decision = "allow"
priority = 950
`;

function homeOverlay(
  { skills = [] }: RunOptions,
  { thinking, home, folder }: RunPlace,
  settings: JsonObject,
  commands: readonly RunFile[],
): RunFile[] {
  const document = { ...thinking.settings, ...settings };
  if (Object.keys(document).length + skills.length + commands.length === 0) return [];
  const real = `${home}/.gemini`;
  const laidOver = `${folder}/home/.gemini`;
  return [
    {
      path: laidOver,
      linksInto: real,
      except: ["settings.json", "skills", "commands"],
      shared: ["tmp", "history"],
    },
    { path: `${laidOver}/settings.json`, over: `${real}/settings.json`, document },
    { path: `${laidOver}/skills`, linksInto: `${real}/skills` },
    ...skillLinks(skills, `${laidOver}/skills`),
    { path: `${laidOver}/commands`, linksInto: `${real}/commands`, except: [PROMPT_FILE] }, // never copied back
    ...commands,
  ];
}

/** Over ACP, servers come with the session; the line stream reads them from its settings. */
const serverSettings = ({ mcpServers = [] }: RunOptions): JsonObject =>
  mcpServers.length === 0
    ? {}
    : {
        mcpServers: Object.fromEntries(
          mcpServers.map((server) => [
            server.name,
            "url" in server
              ? { httpUrl: server.url, headers: server.headers ?? {} }
              : { command: server.command, args: server.args ?? [], env: server.env ?? {} },
          ]),
        ),
      };

/**
 * Its line stream reads `@word` as a file and `/word` as a command. A command of the run's own, whose whole text is the prompt,
 * passes both unread; it would in turn read these three, so that a prompt with one of them goes the other way.
 */
const READ_IN_COMMANDS = /[!@]\{|\{\{args\}\}/;
const isReadAsMore = (prompt: string): boolean => isCommand(prompt) || /@\S/.test(prompt);

function promptCommand(options: RunOptions, place: RunPlace): RunFile | undefined {
  const { prompt } = options;
  if (!isReadAsMore(prompt) || READ_IN_COMMANDS.test(withInstructions(options))) return undefined;
  const attached = place.attachments.map(({ path }) => `@{${path}}`).join("");
  const isWhole = place.nativeTools === "off" && options.systemPrompt !== undefined;
  const text = attached + (isWhole ? prompt : withInstructions(options));
  const content = `description = "The prompt of this run"\nprompt = ${tomlString(text)}\n`;
  return { path: `${place.folder}/home/.gemini/commands/${PROMPT_FILE}`, content };
}

const PROMPT_COMMAND = "capstan-prompt";
const PROMPT_FILE = `${PROMPT_COMMAND}.toml`;

/** JSON's escapes are TOML's, but for one character that JSON leaves as it is. */
const tomlString = (text: string): string => JSON.stringify(text).replaceAll("\u007f", "\\u007f");

function openStream(options: RunOptions, place: RunPlace): AdapterRun {
  const command = promptCommand(options, place);
  if (!command && isReadAsMore(options.prompt)) {
    const refused = { agent: "gemini", transport: place.transport, why: READ_AS_MORE };
    throw new RunRefusedError(fail("coding_agent_text_refused", refused).failure);
  }
  const commands = command ? [command] : [];
  const { argv, env, files, prompt } = launch(options, place, serverSettings(options), commands);
  const { sessionId } = options;
  const attached = place.attachments.map(({ path }) => `@${path}`);
  return {
    argv: [
      ...["gemini", "-o", "stream-json", ...argv],
      // Bytes that were attached are in the run's folder, and it reads only what is in its workspace.
      ...place.attachments
        .filter(isPlaced(place))
        .slice(0, 1)
        .flatMap(() => ["--include-directories", attachedIn(place)]),
      // Without a person to ask, tools that require approval are not offered to the model at all.
      ...["--approval-mode", options.approvalMode === "yolo" ? "yolo" : "default"],
      ...(sessionId === undefined ? ["--session-id", place.freshSessionId] : ["--resume", sessionId]),
      ...(command ? [`--prompt=/${PROMPT_COMMAND}`] : []),
    ],
    ...(!command && { input: [...attached, prompt].join("\n") }),
    env,
    files,
    ...withSessionUsage(geminiReader(), geminiUsage, place, sessionId ?? place.freshSessionId),
  };
}

const READ_AS_MORE =
  "the program reads @words as files and a slash at the start as a command, which only a prompt without `!{`, `@{` and `{{args}}` escapes";

const attachedIn = ({ folder }: RunPlace): string => `${folder}/attachments`;

const isPlaced =
  (place: RunPlace) =>
  ({ path }: PlacedAttachment): boolean =>
    path.startsWith(`${attachedIn(place)}/`);

/** If `node-pty` is installed, it uses its own terminal, and a command's output is missing over ACP. */
const PLAIN_SHELL: JsonObject = { tools: { shell: { enableInteractiveShell: false } } };

function openAcp(options: RunOptions, place: RunPlace): AdapterRun {
  const { argv, env, files, prompt } = launch(options, place, place.nativeTools === "on" ? PLAIN_SHELL : {});
  const parts = {
    argv: ["gemini", "--acp", ...argv],
    env,
    files,
    prompt,
    quirks: QUIRKS,
    readsLinks: true,
  };
  return withSessionUsage(acpRun(parts, options, place), geminiUsage, place);
}
