/** capstan models: what each agent can be run with, with windows, prices and thinking levels. No server needed. */
import { createClient } from "@capstan/coding-agents";
import { fail } from "@capstan/core";
import type { Command } from "../command.ts";
import { printTable } from "../print-table.ts";

export const models: Command = {
  usage: "capstan models [agent] [--refresh]",
  summary: "Lists models with prices. The agent is `native` (Capstan's own loop) unless named.",
  options: { refresh: { type: "boolean" } },
  async run({ args: [agent = "native"], options, print, terminal, environment }) {
    const { models: registry } = createClient({ environment });
    if (options.refresh) {
      const why = await registry.refresh(agent).then(
        () => undefined,
        (error: Error) => error.message,
      );
      if (why !== undefined) terminal.err(`Not refreshed: ${why}\n`);
    }
    const items = registry.catalog(agent);
    if (items.length === 0) return fail("not_found", { what: "coding agent", id: agent });
    const rows = items.map((model) => [
      `${model.modelId}${model.isDefault ? " *" : ""}`,
      `${Math.round(model.contextWindow / 1000)}k`,
      model.inputPricePerMillion === undefined
        ? ""
        : `$${model.inputPricePerMillion} / $${model.outputPricePerMillion}`,
      (model.thinkingEffortLevels ?? []).join(" ") || "-",
      model.deprecated ? `deprecated, use ${model.successorModelId ?? "another"}` : "",
    ]);
    const head = ["MODEL", "WINDOW", "PRICE IN / OUT PER M", "THINKING", ""];
    const asOf = registry.lastUpdated(agent).toISOString().slice(0, 10);
    return print(items, () => `${printTable([head, ...rows], terminal.columns)}as of ${asOf}\n`);
  },
};
