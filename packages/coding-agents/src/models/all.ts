/** Every bundled snapshot: the ten agents, and `native`. */
import type { ModelSnapshot } from "@capstan/core/internal";
import { claudeModels } from "./claude.ts";
import { codexModels } from "./codex.ts";
import { copilotModels } from "./copilot.ts";
import { cursorModels } from "./cursor.ts";
import { geminiModels } from "./gemini.ts";
import { hermesModels } from "./hermes.ts";
import { type AgentModels, makeSnapshot } from "./make-snapshot.ts";
import { nativeModels } from "./native.ts";
import { ompModels } from "./omp.ts";
import { openclawModels } from "./openclaw.ts";
import { opencodeModels } from "./opencode.ts";
import { piModels } from "./pi.ts";

export const AGENT_MODELS: readonly AgentModels[] = Object.freeze([
  claudeModels,
  codexModels,
  geminiModels,
  copilotModels,
  cursorModels,
  opencodeModels,
  piModels,
  ompModels,
  openclawModels,
  hermesModels,
  nativeModels,
]);

export const MODEL_SNAPSHOTS: readonly ModelSnapshot[] = Object.freeze(AGENT_MODELS.map(makeSnapshot));
