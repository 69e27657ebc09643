/**
 * Adapter for OpenCode: `run --format json`, which tells costs and steps; ACP when text is to stream or a person to be asked.
 *
 * Everything of the run's own travels in one inline config document, laid over the user's.
 */
import type { AdapterRun, McpServerConfig, RunOptions, RunPlace } from "@capstan/core/internal";
import { opencodeManifest } from "../manifests/opencode.ts";
import { opencodeSessions } from "../sessions/opencode-sessions.ts";
import { acpRun } from "./acp-run.ts";
import { defineAdapter } from "./define-adapter.ts";
import type { JsonObject } from "./json-line.ts";
import { opencodeReader } from "./opencode-reader.ts";
import { ACP_QUIRKS } from "./readers.ts";
import { flag, mergeDocuments, skillFolder } from "./run-parts.ts";

export const opencodeAdapter = defineAdapter({
  manifest: opencodeManifest,
  environment: /^(OPENCODE_|[A-Z0-9_]+_API_KEY$|AWS_|GOOGLE_|XDG_)/,
  sessions: opencodeSessions,
  hidesNativeTools: true,
  open: (options, place) => (isPlain(options) ? openRun(options, place) : openAcp(options, place)),
});

const isPlain = ({ stream, approvalMode }: RunOptions) =>
  stream !== true && stream !== "auto" && approvalMode !== "prompt";

function openRun(options: RunOptions, place: RunPlace): AdapterRun {
  const { sessionId, forkSessionId, approvalMode } = options;
  return {
    argv: [
      ...["opencode", "run", "--format", "json", "--thinking"],
      ...flag("-m", place.model),
      ...place.thinking.argv,
      ...flag("-s", forkSessionId ?? sessionId),
      ...(forkSessionId === undefined ? [] : ["--fork"]),
      ...(approvalMode === "yolo" ? ["--auto"] : []),
      ...place.attachments.flatMap(({ path }) => ["-f", path]),
      ...["--", options.prompt],
    ],
    env: environment(options, place),
    files: instructionFiles(options, place),
    ...opencodeReader(),
  };
}

function openAcp(options: RunOptions, place: RunPlace): AdapterRun {
  const { mcpServers: _, ...acpOptions } = options; // they are in the config
  return acpRun(
    {
      argv: ["opencode", "acp"],
      env: environment(options, place),
      files: instructionFiles(options, place),
      quirks: ACP_QUIRKS.opencode,
      prompt: options.prompt,
      ...(place.model !== undefined && { configOptions: [{ name: "model", value: place.model }] }),
    },
    acpOptions,
    place,
  );
}

const instructionPath = ({ folder }: RunPlace) => `${folder}/instructions.md`;

const instructionFiles = ({ systemPrompt }: RunOptions, place: RunPlace) =>
  systemPrompt === undefined ? [] : [{ path: instructionPath(place), content: systemPrompt }];

function environment(options: RunOptions, place: RunPlace): Record<string, string> {
  const { mcpServers = [], systemPrompt, skills = [] } = options;
  const config = mergeDocuments(
    place.thinking.settings,
    permissions(options, place),
    mcpServers.length > 0 ? { mcp: Object.fromEntries(mcpServers.map(opencodeServer)) } : {},
    systemPrompt === undefined ? {} : { instructions: [instructionPath(place)] },
    skills.length > 0 ? { skills: { paths: skills.map(skillFolder) } } : {},
  );
  return { ...place.thinking.env, OPENCODE_CONFIG_CONTENT: JSON.stringify(config) };
}

/** By default it lets everything run. Headless, what it would ask about is rejected. */
function permissions(
  { approvalMode = "deny", mcpServers = [] }: RunOptions,
  { nativeTools }: RunPlace,
): JsonObject {
  if (nativeTools === "off") {
    const ours = mcpServers.map(({ name }) => [`${name}_*`, true]);
    return { tools: { "*": false, ...Object.fromEntries(ours) } };
  }
  return approvalMode === "yolo" ? {} : { permission: { edit: "ask", bash: "ask", webfetch: "ask" } };
}

function opencodeServer(server: McpServerConfig): [string, JsonObject] {
  return [
    server.name,
    "url" in server
      ? { type: "remote", url: server.url, headers: server.headers ?? {}, enabled: true }
      : {
          type: "local",
          command: [server.command, ...(server.args ?? [])],
          environment: server.env ?? {},
          enabled: true,
        },
  ];
}
