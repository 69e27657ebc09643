/**
 * Adapter for omp (oh-my-pi): its JSON lines; ACP to ask a person, fork a session or use MCP servers,
 * for which the command line has no option.
 */

import type { AdapterRun, RunOptions, RunPlace } from "@capstan/core/internal";
import { ompManifest } from "../manifests/omp.ts";
import { commandModels } from "../models/model-sources.ts";
import { ompModels } from "../models/omp.ts";
import { readOmpModels } from "../models/read-model-lists.ts";
import { ompSessions } from "../sessions/pi-sessions.ts";
import { ompDialect } from "../thinking/thinking-dialects.ts";
import type { AcpQuirks } from "./acp-reader.ts";
import { acpRun } from "./acp-run.ts";
import { defineAdapter } from "./define-adapter.ts";
import { piReader } from "./pi-reader.ts";
import { flag, jsonFile, skillPlugin } from "./run-parts.ts";

/** Where its ACP differs from the protocol's. */
const QUIRKS: AcpQuirks = { error: /^[45]\d\d |\(type=\w+_error/, silenceIsFailure: true };

export const ompAdapter = defineAdapter({
  manifest: ompManifest,
  environment: /^(OMP_|PI_|[A-Z0-9_]+_API_KEY$|AWS_|GOOGLE_)/,
  thinking: [ompDialect],
  models: ompModels,
  modelSource: commandModels(["omp", "models", "--json"], readOmpModels),
  reader: () => piReader({ terminal: "agent_end" }),
  quirks: QUIRKS,
  stateVariables: /^(PI|OMP)_CODING_AGENT_DIR$/,
  sessions: ompSessions,
  chooseTransport: (options) => (needsAcp(options) ? "acp" : "json"),
  open: (options, place) => (place.transport === "acp" ? openAcp(options, place) : openJson(options, place)),
});

const needsAcp = ({ approvalMode, forkSessionId, mcpServers = [] }: RunOptions) =>
  approvalMode === "prompt" || forkSessionId !== undefined || mcpServers.length > 0;

function openJson(options: RunOptions, place: RunPlace): AdapterRun {
  const { systemPrompt, sessionId, approvalMode } = options;
  const skills = skillPlugin(options, place);
  const instructions = `${place.folder}/instructions.md`;
  const config = place.thinking.settings
    ? jsonFile(place, "config.json", place.thinking.settings)
    : undefined;
  return {
    argv: [
      ...["omp", "-p", "--mode", "json", "--no-title"],
      ...["--approval-mode", approvalMode === "yolo" ? "yolo" : "always-ask"],
      ...flag("--model", place.model),
      ...place.thinking.argv,
      ...flag("--config", config?.path),
      ...flag("--resume", sessionId),
      ...(systemPrompt === undefined ? [] : ["--append-system-prompt", instructions]),
      ...skills.argv,
      ...(place.nativeTools === "off" ? ["--no-tools"] : []),
      ...["--", ...place.attachments.map(({ path }) => `@${path}`), options.prompt],
    ],
    env: { ...place.thinking.env },
    files: [
      ...(systemPrompt === undefined ? [] : [{ path: instructions, content: systemPrompt }]),
      ...(config ? [config.file] : []),
      ...skills.files,
    ],
    onLine: piReader({ terminal: "agent_end" }).onLine, // and no commands: this mode does not listen, a signal stops it
  };
}

function openAcp(options: RunOptions, place: RunPlace): AdapterRun {
  const skills = skillPlugin(options, place);
  return acpRun(
    {
      argv: ["omp", "acp", ...flag("--model", place.model), ...skills.argv],
      env: { ...place.thinking.env },
      files: skills.files,
      quirks: QUIRKS,
      // Its ACP takes a level and no config document.
      ...(place.thinking.settings && {
        warnings: ["omp supports a thinking budget only where nobody is asked and no MCP server is given."],
      }),
    },
    options,
    place,
  );
}
