/**
 * Which reader fits a recording of each built-in agent, told by what its messages look like.
 *
 * ACP messages carry `jsonrpc`, whichever agent wrote them; the adapters that translate a CLI to ACP (claude-agent-acp,
 * codex-acp, pi-acp) count as that CLI. The quirks say where an agent bends the protocol.
 */
import type { BuiltInAgentName, LineReader } from "@capstan/core/internal";
import { asObject } from "../lines/json-line.ts";
import { type AcpQuirks, acpReader } from "./acp-reader.ts";
import { claudeReader } from "./claude-reader.ts";
import { codexAppServerReader } from "./codex-app-server-reader.ts";
import { codexExecReader } from "./codex-exec-reader.ts";
import { copilotReader } from "./copilot-reader.ts";
import { cursorReader } from "./cursor-reader.ts";
import { geminiReader } from "./gemini-reader.ts";
import { openclawReader } from "./openclaw-reader.ts";
import { opencodeReader } from "./opencode-reader.ts";
import { opencodeServerReader } from "./opencode-server-reader.ts";
import { piReader } from "./pi-reader.ts";
import { textReader } from "./text-reader.ts";

export const ACP_QUIRKS: Readonly<Record<BuiltInAgentName, AcpQuirks>> = {
  claude: {},
  codex: { warning: /^Warning: / },
  gemini: { thoughtHeading: /^\*{4}\n/, toolOfId: (id) => /^(\w+?)__/.exec(id)?.[1] },
  copilot: { retry: /^Info: .*Retrying/, warning: /^Info: /, error: /^Error: /, silenceIsFailure: true },
  cursor: {},
  opencode: { titleIsName: true },
  pi: { banner: /^pi v\d[\w.-]*\n---\n/, silenceIsFailure: true },
  omp: { error: /^[45]\d\d |\(type=\w+_error/, silenceIsFailure: true },
  openclaw: {},
  hermes: {},
};

type ChooseReader = (sample: readonly unknown[]) => LineReader;

const native: Readonly<Record<BuiltInAgentName, ChooseReader>> = {
  claude: () => claudeReader(),
  codex: (sample) => (sample.some(isRpc) ? codexAppServerReader() : codexExecReader()),
  gemini: geminiReader,
  copilot: () => copilotReader(),
  cursor: cursorReader,
  opencode: (sample) => (sample.some(isServerMessage) ? opencodeServerReader() : opencodeReader()),
  pi: () => piReader({ terminal: "agent_settled" }),
  omp: () => piReader({ terminal: "agent_end" }),
  openclaw: openclawReader,
  hermes: textReader,
};

/** The reader for a recording of `agent`. */
export const readerFor = (agent: BuiltInAgentName, sample: readonly unknown[]): LineReader =>
  sample.some(isAcp) ? acpReader(ACP_QUIRKS[agent]) : native[agent](sample);

export const isAcp = (message: unknown): boolean => asObject(message)?.jsonrpc === "2.0";

/** A request to OpenCode's server, or one of its events. */
function isServerMessage(message: unknown): boolean {
  const record = asObject(message);
  return typeof record?.path === "string" || asObject(record?.properties) !== undefined;
}

/** The app-server's dialect: JSON-RPC without the version. */
function isRpc(message: unknown): boolean {
  const record = asObject(message);
  return typeof record?.method === "string" || (record?.id !== undefined && record.result !== undefined);
}
