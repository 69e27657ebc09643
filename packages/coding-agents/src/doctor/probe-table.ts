/** The table of docs/coding-agents.md that shows what the recorded probes saw. */
import { table } from "../docs/docs-tables.ts";
import { FEATURE_PROBES } from "./feature-probes.ts";
import { RECORDED_PROBES } from "./recorded-probes.ts";

/** What the recorded probes saw: a row per agent and transport, a column per feature. */
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
