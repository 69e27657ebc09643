/** A live run over ACP: the requests in order. The agent's own answer decides between load and resume. */
import type {
  AdapterRun,
  McpServerConfig,
  PlacedAttachment,
  RunFile,
  RunOptions,
  RunPlace,
} from "@capstan/core/internal";
import { asObject, type JsonObject } from "../lines/json-line.ts";
import { acpMessage } from "./acp-message.ts";
import { type AcpPlan, type AcpQuirks, acpBook, acpInitialize, acpReader } from "./acp-reader.ts";
import { fileText, isImageFile, withInstructions } from "./run-parts.ts";

export interface AcpRunParts {
  readonly argv: readonly string[];
  readonly quirks?: AcpQuirks;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: readonly RunFile[];
  readonly warnings?: readonly string[];
  /** Options to set by name before the prompt, such as a model. */
  readonly configOptions?: readonly { readonly name: string; readonly value: string }[];
  /** If the agent supports instructions, the prompt is sent without them. */
  readonly prompt?: string;
  /** It reads linked files and passes them to its model. */
  readonly readsLinks?: boolean;
}

export function acpRun(parts: AcpRunParts, options: RunOptions, place: RunPlace): AdapterRun {
  const book = acpBook();
  const { option } = place.thinking;
  const settings = [...(parts.configOptions ?? []), ...(option ? [option] : [])];
  const plan: AcpPlan = {
    openSession: (agentCapabilities) => openSession(agentCapabilities, options, place),
    settings: settings.map(({ name, value }) => ({
      method: "session/set_config_option",
      params: { configId: name, value },
    })),
    prompt: promptBlocks(parts.prompt ?? withInstructions(options), place, parts),
  };
  return {
    argv: parts.argv,
    env: parts.env ?? {},
    files: parts.files ?? [],
    stdin: [acpInitialize(book)],
    ...(parts.warnings && { warnings: parts.warnings }),
    ...acpReader(parts.quirks ?? {}, plan, book),
  };
}

function openSession(agentCapabilities: JsonObject, options: RunOptions, { cwd }: RunPlace) {
  const place = { cwd, mcpServers: (options.mcpServers ?? []).map(acpMcpServer) };
  const { sessionId, forkSessionId } = options;
  if (forkSessionId !== undefined)
    return { method: "session/fork", params: { sessionId: forkSessionId, ...place } };
  if (sessionId === undefined) return { method: "session/new", params: place };
  const resumes = asObject(agentCapabilities.sessionCapabilities)?.resume !== undefined;
  return { method: resumes ? "session/resume" : "session/load", params: { sessionId, ...place } };
}

function acpMcpServer(server: McpServerConfig): JsonObject {
  const pairs = (record: Readonly<Record<string, string>> = {}) =>
    Object.entries(record).map(([name, value]) => ({ name, value }));
  return "url" in server
    ? { type: "http", name: server.name, url: server.url, headers: pairs(server.headers) }
    : { name: server.name, command: server.command, args: server.args ?? [], env: pairs(server.env) };
}

function promptBlocks(
  text: string,
  { attachments }: RunPlace,
  { readsLinks, quirks }: AcpRunParts,
): JsonObject[] {
  const block = readsLinks ? linkBlock : textBlock;
  return [
    ...attachments.map((attachment): JsonObject => {
      const { mimeType, data } = attachment;
      return isImageFile(attachment) ? { type: "image", data, mimeType } : block(attachment);
    }),
    ...acpMessage(text, quirks),
  ];
}

const linkBlock = ({ path, mimeType }: PlacedAttachment): JsonObject => ({
  type: "resource_link",
  uri: `file://${path}`,
  name: path.split("/").at(-1) ?? path,
  mimeType,
});
const textBlock = (attachment: PlacedAttachment): JsonObject => ({
  type: "text",
  text: fileText(attachment),
});
