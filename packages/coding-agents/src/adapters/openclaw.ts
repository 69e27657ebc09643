/**
 * Adapter for OpenClaw: one message in, one object out. A session is kept only by `agent --local`; `agent exec` is isolated.
 *
 * Its command for resuming wants an agent's name; `main` is the one that every installation has.
 */

import type { AdapterRun, RunOptions, RunPlace } from "@capstan/core/internal";
import { openclawManifest } from "../manifests/openclaw.ts";
import { commandModels } from "../models/model-sources.ts";
import { openclawModels } from "../models/openclaw.ts";
import { readOpenclawModels } from "../models/read-model-lists.ts";
import { openclawSessions } from "../sessions/openclaw-sessions.ts";
import { flagDialect } from "../thinking/thinking-dialects.ts";
import { defineAdapter } from "./define-adapter.ts";
import { openclawReader } from "./openclaw-reader.ts";
import { flag, withInstructions } from "./run-parts.ts";

export const openclawAdapter = defineAdapter({
  manifest: openclawManifest,
  environment: /^(OPENCLAW_|[A-Z0-9_]+_API_KEY$)/,
  thinking: [flagDialect("--thinking", "thinking", "thinking")],
  models: openclawModels,
  modelSource: commandModels(["openclaw", "models", "list", "--json"], readOpenclawModels),
  sessions: openclawSessions,
  reader: openclawReader,
  stateVariables: /^OPENCLAW_(HOME|STATE_DIR|CONFIG_PATH)$/,
  chooseTransport: ({ sessionId }) => (sessionId === undefined ? "exec" : "local"),
  open: openOnce,
});

const NOT_TAKEN = ["skills", "mcpServers", "attachments"] as const;

function openOnce(options: RunOptions, place: RunPlace): AdapterRun {
  const { sessionId, timeoutMs } = options;
  const timeout = flag("--timeout", timeoutMs === undefined ? undefined : Math.ceil(timeoutMs / 1000));
  const message = withInstructions(options);
  const how =
    sessionId === undefined
      ? [
          "exec",
          "--json",
          ...flag("--model", place.model),
          "--cwd",
          place.cwd,
          ...place.thinking.argv,
          ...timeout,
          "--",
          message,
        ]
      : [
          "--local",
          "--json",
          "--agent",
          "main",
          "--session-id",
          sessionId,
          ...place.thinking.argv,
          `--message=${message}`,
        ];
  return {
    argv: ["openclaw", "agent", ...how],
    env: { ...place.thinking.env, NO_COLOR: "1", OPENCLAW_HIDE_BANNER: "1" },
    files: [],
    warnings: NOT_TAKEN.filter((option) => (options[option]?.length ?? 0) > 0).map(
      (option) => `OpenClaw reads ${option} from its own configuration only; those of this run are left out.`,
    ),
    ...openclawReader(),
  };
}
