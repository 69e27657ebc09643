/** The table of docs/coding-agents.md with the results of the recorded probes. */
import { table } from "../docs/docs-tables.ts";
import { FEATURE_PROBES } from "./feature-probes.ts";
import { RECORDED_PROBES } from "./recorded-probes.ts";

/** One row per agent and transport, one column per feature. */
export function probesMarkdown(): string {
  const features = FEATURE_PROBES.map(({ name }) => name);
  const rows = RECORDED_PROBES.flatMap(({ agent, version, date, features: findings }) =>
    [...new Set(findings.map(({ transport }) => transport))].map((transport) => {
      const outcomeOf = (feature: string) =>
        findings.find((found) => found.transport === transport && found.feature === feature)?.outcome ?? "";
      return [agent, `\`${transport}\``, `${version}, ${date.slice(0, 10)}`, ...features.map(outcomeOf)];
    }),
  );
  return table(["Agent", "Transport", "Probed", ...features], rows);
}

/** What each column means. */
export const probedFeaturesMarkdown = (): string =>
  table(
    ["Feature", "Declared by", "How it is probed"],
    FEATURE_PROBES.map(({ name, declaredBy, how }) => [name, declaredBy, how]),
  );
