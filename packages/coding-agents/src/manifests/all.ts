/** Every built-in manifest, by name and in the seed's order. */
import {
  BUILT_IN_AGENT_NAMES,
  type BuiltInAgentName,
  type CodingAgentManifest,
} from "@capstan/core/internal";
import { claudeManifest } from "./claude.ts";
import { codexManifest } from "./codex.ts";
import { copilotManifest } from "./copilot.ts";
import { cursorManifest } from "./cursor.ts";
import { geminiManifest } from "./gemini.ts";
import { hermesManifest } from "./hermes.ts";
import { ompManifest } from "./omp.ts";
import { openclawManifest } from "./openclaw.ts";
import { opencodeManifest } from "./opencode.ts";
import { piManifest } from "./pi.ts";

export const MANIFESTS: Readonly<Record<BuiltInAgentName, CodingAgentManifest>> = Object.freeze({
  claude: claudeManifest,
  codex: codexManifest,
  gemini: geminiManifest,
  copilot: copilotManifest,
  cursor: cursorManifest,
  opencode: opencodeManifest,
  pi: piManifest,
  omp: ompManifest,
  openclaw: openclawManifest,
  hermes: hermesManifest,
});

export const ALL_MANIFESTS: readonly CodingAgentManifest[] = Object.freeze(
  BUILT_IN_AGENT_NAMES.map((name) => MANIFESTS[name]),
);
