/**
 * Adapter for Codex: its app-server, which streams, asks and can be interrupted; `exec --json` where that does not start.
 *
 * `exec` never asks: its sandbox is the only protection of the machine. So `prompt` has no fallback, nor has
 * a run without Codex's own tools, which `exec` would have.
 */

import type { AdapterRun, RunOptions, RunPlace } from "@capstan/core/internal";
import { asObject, type JsonObject } from "../lines/json-line.ts";
import { codexManifest } from "../manifests/codex.ts";
import { codexModels } from "../models/codex.ts";
import { codexAppServer } from "../models/model-sources.ts";
import { codexSessions } from "../sessions/codex-sessions.ts";
import { codexDialect } from "../thinking/thinking-dialects.ts";
import type { AcpQuirks } from "./acp-reader.ts";
import { codexAppServerReader } from "./codex-app-server-reader.ts";
import { codexExecReader } from "./codex-exec-reader.ts";
import { defineAdapter } from "./define-adapter.ts";
import { withEndOfRetries } from "./endless-retries.ts";
import { RpcBook } from "./json-rpc.ts";
import { flag, isImageFile, jsonFile, skillLinks, skillName } from "./run-parts.ts";
import { codexUsage, withSessionUsage } from "./session-usage.ts";

/** Where its ACP differs from the protocol's. */
const QUIRKS: AcpQuirks = { warning: /^Warning: / };

export const codexAdapter = defineAdapter({
  manifest: codexManifest,
  environment: /^(OPENAI_|CODEX_|AZURE_OPENAI_|OLLAMA_)/,
  thinking: [codexDialect],
  models: codexModels,
  modelSource: codexAppServer,
  reader: (sample) => (sample.some(isRpc) ? codexAppServerReader() : codexExecReader()),
  quirks: QUIRKS,
  stateVariables: /^CODEX_HOME$/,
  sessions: codexSessions,
  hidesNativeTools: true,
  open: (options, place) =>
    place.transport === "exec" ? openExec(options, place) : openAppServer(options, place),
});

/** What a mode means to Codex: whether it asks, and what its sandbox allows without asking. */
const MODES = {
  yolo: { approvalPolicy: "never", sandbox: "danger-full-access" },
  prompt: { approvalPolicy: "untrusted", sandbox: "workspace-write" },
  deny: { approvalPolicy: "untrusted", sandbox: "read-only" }, // asked, so that the refusal is reported; a sandbox refuses silently
} as const;

/** Tools that cannot be removed (apply_patch) are refused by the sandbox, and nobody is asked. */
const TOOLS_OFF_MODE = { approvalPolicy: "never", sandbox: "read-only" } as const;

/** Its own tools cannot be removed by name; these features contain them. Models it knows find MCP tools through its search. */
const TOOLS_OFF = [
  "shell_tool",
  "unified_exec",
  "view_image",
  "image_generation",
  "apps",
  "multi_agent",
  "goals",
  "sleep_tool",
];

function openAppServer(options: RunOptions, place: RunPlace): AdapterRun {
  const book = new RpcBook();
  const initialize = book.request("initialize", {
    clientInfo: { name: "capstan", title: "Capstan", version: "0.1.0" },
  });
  const { forkSessionId, sessionId } = options;
  const threadId = forkSessionId ?? sessionId;
  const method =
    forkSessionId !== undefined ? "thread/fork" : sessionId !== undefined ? "thread/resume" : "thread/start";
  const skillRoot = `${place.folder}/skills`;
  const { skills = [] } = options;
  const plan = {
    // A skill outside Codex's own folders is ignored if only a turn names it.
    before:
      skills.length === 0 ? [] : [{ method: "skills/extraRoots/set", params: { extraRoots: [skillRoot] } }],
    openThread: {
      method,
      params: { ...(threadId !== undefined && { threadId }), ...threadParams(options, place) },
    },
    turn: { input: turnInput(options, place, skillRoot), ...effort(place), ...schemaOf(options) },
  };
  return {
    argv: ["codex", "app-server", ...place.thinking.argv, ...toolsOff(place)],
    env: { ...place.thinking.env },
    files: skillLinks(skills, skillRoot),
    stdin: [initialize],
    ...withEndOfRetries(codexAppServerReader(plan, book)),
    ...(canExec(options, place) && { fallback: { transport: "exec", open: () => openExec(options, place) } }),
  };
}

function threadParams(
  { approvalMode = "deny", systemPrompt, mcpServers = [] }: RunOptions,
  place: RunPlace,
): JsonObject {
  const instructions = place.nativeTools === "off" ? "baseInstructions" : "developerInstructions";
  return {
    cwd: place.cwd,
    ...(place.nativeTools === "off" ? TOOLS_OFF_MODE : MODES[approvalMode]),
    ...(place.model !== undefined && { model: place.model }),
    ...(systemPrompt !== undefined && { [instructions]: systemPrompt }),
    ...(mcpServers.length > 0 && { config: { mcp_servers: mcpTables(mcpServers, place) } }),
  };
}

/** Our servers pass our gate, so with the CLI's tools off Codex does not ask about their calls again. */
function mcpTables(servers: NonNullable<RunOptions["mcpServers"]>, place: RunPlace): JsonObject {
  const approval = place.nativeTools === "off" ? { default_tools_approval_mode: "approve" } : {};
  return Object.fromEntries(
    servers.map((server) => [
      server.name,
      "url" in server
        ? { url: server.url, http_headers: server.headers ?? {}, ...approval }
        : { command: server.command, args: server.args ?? [], env: server.env ?? {}, ...approval },
    ]),
  );
}

function turnInput(
  { prompt, skills = [] }: RunOptions,
  { attachments }: RunPlace,
  skillRoot: string,
): JsonObject[] {
  return [
    { type: "text", text: prompt, text_elements: [] },
    ...attachments.filter(isImageFile).map(({ path }) => ({ type: "localImage", path })),
    ...skills.map(skillName).map((name) => ({ type: "skill", name, path: `${skillRoot}/${name}/SKILL.md` })),
  ];
}

/** Whether `exec` could run the same: it never asks or streams, and supports neither servers nor skills. */
const canExec = (options: RunOptions, { nativeTools }: RunPlace) => {
  const { approvalMode, stream, mcpServers = [], skills = [] } = options;
  const isMore = approvalMode === "prompt" || stream === true;
  return !isMore && nativeTools === "on" && mcpServers.length === 0 && skills.length === 0;
};

const SUMMARY = "model_reasoning_summary";

/** A summary that the caller chose is already on the command line, and the turn's would replace it. */
const effort = ({ thinking: { option, params } }: RunPlace): JsonObject => ({
  ...(option !== null && { effort: option.value }),
  ...(SUMMARY in params ? { summary: params[SUMMARY] } : option !== null && { summary: "detailed" }),
});

const schemaOf = ({ outputSchema }: RunOptions): JsonObject => (outputSchema ? { outputSchema } : {});

const toolsOff = ({ nativeTools }: RunPlace): string[] =>
  nativeTools === "off"
    ? ["-c", 'web_search="disabled"', ...TOOLS_OFF.flatMap((feature) => ["-c", `features.${feature}=false`])]
    : [];

function openExec(options: RunOptions, place: RunPlace): AdapterRun {
  const { prompt, sessionId, forkSessionId, approvalMode = "deny", systemPrompt, outputSchema } = options;
  const verb = forkSessionId !== undefined ? ["fork"] : sessionId !== undefined ? ["resume"] : [];
  const thread = forkSessionId ?? sessionId;
  const schema = outputSchema && jsonFile(place, "schema.json", outputSchema);
  // As a setting, because `resume` and `fork` have no `-s`, and the user's own settings may allow everything.
  const safety =
    approvalMode === "yolo"
      ? ["--dangerously-bypass-approvals-and-sandbox"]
      : ["-c", 'sandbox_mode="read-only"'];
  return {
    argv: [
      ...["codex", "exec", ...verb, "--json", "--skip-git-repo-check"],
      ...safety,
      ...flag("-m", place.model),
      ...place.thinking.argv,
      ...(systemPrompt === undefined ? [] : ["-c", `developer_instructions=${JSON.stringify(systemPrompt)}`]),
      ...flag("--output-schema", schema?.path),
      ...place.attachments.filter(isImageFile).flatMap(({ path }) => ["-i", path]),
      ...["--", ...(thread === undefined ? [] : [thread]), "-"],
    ],
    input: prompt,
    env: { ...place.thinking.env },
    files: schema ? [schema.file] : [],
    ...withSessionUsage(withEndOfRetries(codexExecReader()), codexUsage, place, sessionId),
  };
}

/** The app-server's dialect: JSON-RPC without the version. */
function isRpc(message: unknown): boolean {
  const record = asObject(message);
  return typeof record?.method === "string" || (record?.id !== undefined && record.result !== undefined);
}
