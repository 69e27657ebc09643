/**
 * Adapter for OpenCode: its server, which passes prompts unchanged, streams, reports costs, steps and retries, and can ask.
 *
 * The run's own settings are in one inline config document, merged over the user's. The server has a password per
 * run: loopback is accessible to everyone on the machine.
 */

import type {
  AdapterRun,
  McpServerConfig,
  PlacedAttachment,
  RunOptions,
  RunPlace,
} from "@capstan/core/internal";
import { asObject, type JsonObject } from "../lines/json-line.ts";
import { opencodeManifest } from "../manifests/opencode.ts";
import { commandModels } from "../models/model-sources.ts";
import { opencodeModels } from "../models/opencode.ts";
import { readOpencodeModels } from "../models/read-model-lists.ts";
import { opencodeSessions } from "../sessions/opencode-sessions.ts";
import { opencodeDialects } from "../thinking/thinking-dialects.ts";
import type { AcpQuirks } from "./acp-reader.ts";
import { defineAdapter } from "./define-adapter.ts";
import { withEndOfRetries } from "./endless-retries.ts";
import { opencodeReader } from "./opencode-reader.ts";
import { type OpencodePlan, opencodeOpening, opencodeServerReader } from "./opencode-server-reader.ts";
import { isImageFile, mergeDocuments, skillFolder } from "./run-parts.ts";

/** Where its ACP differs from the protocol's. */
const QUIRKS: AcpQuirks = { titleIsName: true };

export const opencodeAdapter = defineAdapter({
  manifest: opencodeManifest,
  environment: /^(OPENCODE_|[A-Z0-9_]+_API_KEY$|AWS_|GOOGLE_|XDG_)/,
  thinking: opencodeDialects,
  models: opencodeModels,
  modelSource: commandModels(["opencode", "models", "--verbose"], readOpencodeModels),
  reader: (sample) => (sample.some(isServerMessage) ? opencodeServerReader() : opencodeReader()),
  quirks: QUIRKS,
  stateVariables: /^(OPENCODE_CONFIG(_DIR)?|XDG_[A-Z_]+)$/,
  sessions: opencodeSessions,
  hidesNativeTools: true,
  open: openServer,
});

const LISTENING = /listening on (http:\/\/\S+)/;

function openServer(options: RunOptions, place: RunPlace): AdapterRun {
  const plan = planOf(options, place);
  const authorization = `Basic ${Buffer.from(`opencode:${place.secret}`).toString("base64")}`;
  return {
    argv: ["opencode", "serve", "--hostname", "127.0.0.1", "--port", "0"],
    env: { ...environment(options, place), OPENCODE_SERVER_PASSWORD: place.secret },
    files: instructionFiles(options, place),
    stdin: [opencodeOpening(plan)],
    http: { address: LISTENING, events: "/event", headers: { authorization } },
    carriesReasons: true,
    ...withEndOfRetries(opencodeServerReader(plan)),
  };
}

function planOf(options: RunOptions, place: RunPlace): OpencodePlan {
  const again = { ...modelOf(place), ...variantOf(place) };
  const format =
    options.outputSchema === undefined
      ? {}
      : { format: { type: "json_schema", schema: options.outputSchema } };
  const parts = [...place.attachments.map(filePart), { type: "text", text: options.prompt }];
  return { openSession: sessionRequest(options), prompt: { ...again, ...format, parts }, again };
}

function sessionRequest({ sessionId, forkSessionId }: RunOptions): OpencodePlan["openSession"] {
  if (forkSessionId !== undefined)
    return { method: "POST", path: `/session/${forkSessionId}/fork`, body: {} };
  if (sessionId !== undefined) return { method: "GET", path: `/session/${sessionId}` };
  return { method: "POST", path: "/session", body: {} };
}

function modelOf({ model }: RunPlace): JsonObject {
  if (model === undefined) return {};
  const [providerID = "", ...rest] = model.split("/");
  return { model: { providerID, modelID: rest.join("/") } };
}

const variantOf = ({ thinking: { option } }: RunPlace): JsonObject =>
  option ? { variant: option.value } : {};

/** Images and PDFs go as bytes; other files are read by the server where they are. */
function filePart(attachment: PlacedAttachment): JsonObject {
  const { path, mimeType, data } = attachment;
  const isBinary = isImageFile(attachment) || mimeType === "application/pdf";
  const url = isBinary ? `data:${mimeType};base64,${data}` : `file://${path}`;
  return {
    type: "file",
    mime: isBinary ? mimeType : "text/plain",
    filename: path.split("/").at(-1) ?? path,
    url,
  };
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

/** By default it allows everything. */
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
      ? {
          type: "remote",
          url: server.url,
          headers: server.headers ?? {},
          enabled: true,
          ...withoutLogin(server),
        }
      : {
          type: "local",
          command: [server.command, ...(server.args ?? [])],
          environment: server.env ?? {},
          enabled: true,
        },
  ];
}

/**
 * With a token it needs no login. To look for one it locks a file of its home, and a run that was stopped leaves the lock: the
 * next run would wait a minute for it, and then answer without our tools.
 */
const withoutLogin = ({
  headers = {},
}: {
  readonly headers?: Readonly<Record<string, string>> | undefined;
}) => (Object.keys(headers).some((name) => name.toLowerCase() === "authorization") ? { oauth: false } : {});

/** A request to OpenCode's server, or one of its events. */
function isServerMessage(message: unknown): boolean {
  const record = asObject(message);
  return typeof record?.path === "string" || asObject(record?.properties) !== undefined;
}
