/** capstan providers: the server's model providers. Adding one tests it first, so that a wrong key is reported here and not in a chat. */
import type { ProviderChecked, ProviderInfo, ProviderPut } from "@capstan/client";
import type { Command, CommandContext } from "../command.ts";
import { printList } from "../print-table.ts";
import { runVerb } from "../run-verb.ts";

const SHOWN_MODELS = 20;

export const providers: Command = {
  usage:
    "capstan providers [list | add <name> [--key <key>] [--url <base URL>] [--model <model>] [--no-check] | remove <name>]",
  summary:
    "Lists, adds and removes model providers. Adding tests the provider: it lists its models and asks for one answer.",
  options: {
    key: { type: "string" },
    url: { type: "string" },
    model: { type: "string" },
    "no-check": { type: "boolean" },
  },
  examples: [
    "capstan providers add anthropic",
    "capstan providers add openai-compatible --url http://127.0.0.1:11434/v1",
  ],
  run: (context) =>
    runVerb(context, providers.usage, {
      list: { run: list },
      add: { needs: "a provider's name, such as anthropic or openai-compatible", run: add },
      remove: { needs: "a provider's name", run: remove },
    }),
};

async function list({ server, print, terminal }: CommandContext) {
  const answer = await (await server()).providers.list();
  if (!answer.ok) return answer;
  const rows = answer.value.items.map(({ provider, label, configured, from, base_url }) => [
    provider,
    label,
    configured ? `configured (${from})` : "-",
    base_url ?? "",
  ]);
  const head = ["NAME", "PROVIDER", "STATE", "ADDRESS"];
  return print(answer.value, () => printList(head, rows, terminal.columns, "No providers."));
}

async function add(context: CommandContext, name: string) {
  const { server, print, json, terminal } = context;
  const api = await server();
  const known = await api.providers.list();
  if (!known.ok) return known;
  const info = known.value.items.find(({ provider }) => provider === name);
  const body = await bodyOf(context, info);
  if (!json && body.check !== false) terminal.err(`Asking ${info?.label ?? name}…\n`);
  const saved = await api.providers.set(name, body);
  return saved.ok ? print(saved.value, () => told(saved.value)) : saved;
}

/** Missing options are prompted for, if someone can answer. */
async function bodyOf(context: CommandContext, info: ProviderInfo | undefined): Promise<ProviderPut> {
  const { url, key, model } = context.options;
  const baseUrl = typeof url === "string" ? url : await askedUrl(context, info);
  const apiKey = typeof key === "string" ? key : await askedKey(context, info);
  return {
    ...(apiKey && { api_key: apiKey }),
    ...(baseUrl && { base_url: baseUrl }),
    ...(typeof model === "string" && { default_model: model }),
    ...(context.options["no-check"] === true && { check: false }),
  };
}

async function askedUrl({ terminal }: CommandContext, info: ProviderInfo | undefined) {
  if (info && !info.needs_address) return undefined;
  return (
    await terminal.ask(`Base URL (such as ${info?.example_address ?? "http://127.0.0.1:8000/v1"}): `)
  )?.trim();
}

async function askedKey({ terminal }: CommandContext, info: ProviderInfo | undefined) {
  const question = info && !info.needs_address ? "API key: " : "API key (empty for none): ";
  return (await terminal.ask(question))?.trim();
}

function told({ label, models, tried_model, took_ms, default: current }: ProviderChecked): string {
  const shown = models.slice(0, SHOWN_MODELS).map((model) => `  ${model}\n`);
  const more = models.length > SHOWN_MODELS ? `  and ${models.length - SHOWN_MODELS} more\n` : "";
  const checked = tried_model === null ? "not checked" : `${tried_model} answered in ${took_ms} ms`;
  return [
    `Saved ${label}: ${checked}.\n`,
    ...(models.length > 0 ? [`Its models:\n`, ...shown, more] : []),
    `The default model is ${current.name}. Change it with \`capstan models use <model>\`.\n`,
  ].join("");
}

async function remove({ server, print }: CommandContext, name: string) {
  const answer = await (await server()).providers.remove(name);
  return answer.ok ? print({ removed: name }, `Removed ${name}\n`) : answer;
}
