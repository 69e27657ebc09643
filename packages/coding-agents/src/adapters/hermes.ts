/** Adapter for Hermes: its ACP, because its one-shot command prints the answer and nothing about how the run ended. */
import { hermesManifest } from "../manifests/hermes.ts";
import { acpRun } from "./acp-run.ts";
import { defineAdapter } from "./define-adapter.ts";
import { ACP_QUIRKS } from "./readers.ts";

export const hermesAdapter = defineAdapter({
  manifest: hermesManifest,
  environment: /^(HERMES_|[A-Z0-9_]+_API_KEY$)/,
  open: (options, place) =>
    acpRun(
      {
        argv: ["hermes", "acp"],
        quirks: ACP_QUIRKS.hermes,
        ...(place.model !== undefined && { configOptions: [{ name: "model", value: place.model }] }),
        ...(options.skills && {
          warnings: ["Hermes reads skills from its own folder only; those of this run are left out."],
        }),
      },
      options,
      place,
    ),
});
