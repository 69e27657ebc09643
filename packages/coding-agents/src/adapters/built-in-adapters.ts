/** The ten adapters, in the order of the matrix. */
import type { BuiltInAgentName, CodingAgentAdapter } from "@capstan/core/internal";
import { claudeAdapter } from "./claude.ts";
import { codexAdapter } from "./codex.ts";
import { copilotAdapter } from "./copilot.ts";
import { cursorAdapter } from "./cursor.ts";
import { geminiAdapter } from "./gemini.ts";
import { hermesAdapter } from "./hermes.ts";
import { ompAdapter } from "./omp.ts";
import { openclawAdapter } from "./openclaw.ts";
import { opencodeAdapter } from "./opencode.ts";
import { piAdapter } from "./pi.ts";

export const BUILT_IN_ADAPTERS: Readonly<Record<BuiltInAgentName, CodingAgentAdapter>> = Object.freeze({
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
