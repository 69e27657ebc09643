/** capstan models: the models of each agent, with context windows and prices; `use` chooses the server's default. */
import type { ModelChoices } from "@capstan/client";
import { createClient } from "@capstan/coding-agents";
import { fail } from "@capstan/core";
import { nearest } from "@capstan/core/internal";
import type { Command, CommandContext } from "../command.ts";
import { printTable } from "../print-table.ts";
import { unknownVerb } from "../run-verb.ts";

export const models: Command = {
  usage: "capstan models [agent] [--refresh] | capstan models use [<provider/model> | auto]",
  summary:
    "Lists models and prices (for Capstan's own loop, `native`, unless you name a coding agent), or sets the server's default model.",
  options: { refresh: { type: "boolean" } },
  examples: ["capstan models", "capstan models use", "capstan models use ollama/llama3.2"],
  async run(context) {
    const { args, options, print, terminal, environment } = context;
    const [agent = "native"] = args;
    if (agent === "use") return useModel(context, args[1]);
    const { models: registry } = createClient({ environment });
    if (options.refresh) {
      const why = await registry.refresh(agent).then(
        () => undefined,
        (error: Error) => error.message,
      );
      if (why !== undefined) terminal.err(`Not refreshed: ${why}\n`);
    }
    const items = registry.catalog(agent);
    if (items.length === 0 && nearest(agent, ["use"]).length > 0)
      return fail("command_invalid", { message: unknownVerb(agent, ["use"]), usage: models.usage });
    if (items.length === 0) return fail("not_found", { what: "coding agent", id: agent });
    const rows = items.map((model) => [
      `${model.modelId}${model.isDefault && agent !== "native" ? " *" : ""}`, // the server knows its own default
      `${Math.round(model.contextWindow / 1000)}k`,
      model.inputPricePerMillion === undefined
        ? ""
        : `$${model.inputPricePerMillion} / $${model.outputPricePerMillion}`,
      (model.thinkingEffortLevels ?? []).join(" ") || "-",
      model.deprecated ? `deprecated, use ${model.successorModelId ?? "another"}` : "",
    ]);
    const head = ["MODEL", "WINDOW", "PRICE IN / OUT PER M", "THINKING", ""];
    const asOf = registry.lastUpdated(agent).toISOString().slice(0, 10);
    const more =
      agent === "native" ? "; `capstan models use` shows what the server found and its default" : "";
    return print(items, () => `${printTable([head, ...rows], terminal.columns)}as of ${asOf}${more}\n`);
  },
};

/** Without a name: available models and the current one. `auto` restores automatic selection. */
async function useModel({ server, print, terminal }: CommandContext, name: string | undefined) {
  const api = await server();
  if (name === undefined) {
    const choices = await api.models.choices();
    return choices.ok ? print(choices.value, () => listed(choices.value, terminal.columns)) : choices;
  }
  const used = await api.models.use(name === "auto" ? null : name);
  return used.ok ? print(used.value, `The default model is now ${used.value.label}.\n`) : used;
}

function listed({ default: current, items, found }: ModelChoices, columns: number): string {
  const rows = items.map(({ name, provider_label, context_window, local }) => [
    `${name}${name === current.name ? " *" : ""}`,
    provider_label,
    context_window === null ? "" : `${Math.round(context_window / 1000)}k`,
    local ? "this machine" : "",
  ]);
  const agents = found.coding_agents.map(
    ({ name, label }) => `${label} is logged in: set an agent's harness to ${name} to use it.\n`,
  );
  return [printTable([["MODEL", "PROVIDER", "WINDOW", ""], ...rows], columns), ...agents].join("");
}
