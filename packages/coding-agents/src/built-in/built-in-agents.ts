/**
 * The one list of built-in agents, in the order of the matrix. To add an agent: its manifest, its adapter, and a line here.
 * Names, manifests, models, readers and thinking parameters follow from the adapter.
 */
import { claudeAdapter } from "../adapters/claude.ts";
import { codexAdapter } from "../adapters/codex.ts";
import { copilotAdapter } from "../adapters/copilot.ts";
import { cursorAdapter } from "../adapters/cursor.ts";
import { geminiAdapter } from "../adapters/gemini.ts";
import { hermesAdapter } from "../adapters/hermes.ts";
import { ompAdapter } from "../adapters/omp.ts";
import { openclawAdapter } from "../adapters/openclaw.ts";
import { opencodeAdapter } from "../adapters/opencode.ts";
import { piAdapter } from "../adapters/pi.ts";

export const BUILT_IN_ADAPTERS = Object.freeze({
  claude: claudeAdapter,
  codex: codexAdapter,
  gemini: geminiAdapter,
  copilot: copilotAdapter,
  cursor: cursorAdapter,
  opencode: opencodeAdapter,
  pi: piAdapter,
  omp: ompAdapter,
  openclaw: openclawAdapter,
  hermes: hermesAdapter,
});

export type BuiltInAgentName = keyof typeof BUILT_IN_ADAPTERS;

/** A built-in name (completed by editors), the name of a registered adapter, or `native`: Capstan's own loop. */
export type AgentName = BuiltInAgentName | (string & {});

export const BUILT_IN_AGENT_NAMES = Object.freeze(Object.keys(BUILT_IN_ADAPTERS) as BuiltInAgentName[]);
