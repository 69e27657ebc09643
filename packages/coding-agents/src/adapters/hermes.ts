/** Adapter for Hermes: its ACP, because its one-shot command prints the answer and nothing about how the run ended. */

import { hermesManifest } from "../manifests/hermes.ts";
import { hermesModels } from "../models/hermes.ts";
import { openrouterModels } from "../models/model-sources.ts";
import { hermesSessions } from "../sessions/hermes-sessions.ts";
import { acpRun } from "./acp-run.ts";
import { defineAdapter } from "./define-adapter.ts";
import { textReader } from "./text-reader.ts";

export const hermesAdapter = defineAdapter({
  manifest: hermesManifest,
  environment: /^(HERMES_|[A-Z0-9_]+_API_KEY$)/,
  thinking: [],
  models: hermesModels,
  modelSource: openrouterModels,
  sessions: hermesSessions,
  reader: textReader,
  stateVariables: /^HERMES_HOME$/,
  open: (options, place) =>
    acpRun(
      {
        argv: ["hermes", "acp"],
        quirks: {},
        ...(place.model !== undefined && { configOptions: [{ name: "model", value: place.model }] }),
        ...(options.skills && {
          warnings: ["Hermes reads skills from its own folder only; those of this run are left out."],
        }),
      },
      options,
      place,
    ),
});
