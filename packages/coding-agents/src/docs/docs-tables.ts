/** The tables of docs/coding-agents.md, made from the manifests and decisions themselves, so that the page cannot drift. */

import {
  createModelRegistry,
  type NativeThinking,
  nativeThinking,
  THINKING_EFFORT_LEVELS,
  type ThinkingEffortLevel,
  validateRun,
} from "@capstan/core/internal";
import { BUILT_IN_ADAPTERS, type BuiltInAgentName } from "../built-in/built-in-agents.ts";
import { ALL_MANIFESTS, MANIFESTS } from "../built-in/manifests.ts";
import { MODEL_SNAPSHOTS } from "../built-in/models.ts";

const line = (cells: readonly string[]) =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
/** A Markdown table. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");

/** Every departure from the seed, a section per agent. */
export function departuresMarkdown(): string {
  return ALL_MANIFESTS.map(({ displayName, departures, capabilities }) => {
    const { version, by } = capabilities.verified.session;
    const how = by === "run" ? `seen in ${version}` : `from its ${version}; it did not run here`;
    const rows = departures.map(({ field, seed, binary }) => [`\`${field}\``, seed, binary]);
    return `### ${displayName} (${how})\n\n${table(["Field", "Seed", "Binary"], rows)}`;
  }).join("\n\n");
}

/** One model of each kind an agent tells apart. */
const EXAMPLES: readonly (readonly [BuiltInAgentName, string])[] = [
  ["claude", "claude-opus-5-5"],
  ["claude", "claude-sonnet-4-5"],
  ["codex", "gpt-6.1-sol"],
  ["codex", "gpt-5.5"],
  ["gemini", "gemini-3.1-pro-preview"],
  ["gemini", "gemini-2.5-pro"],
  ["gemini", "gemini-2.5-flash"],
  ["copilot", "gpt-5.4"],
  ["copilot", "gpt-5-mini"],
  ["opencode", "openai/gpt-5.2"],
  ["opencode", "anthropic/claude-sonnet-4-5"],
  ["pi", "openai/gpt-6-sol"],
  ["pi", "anthropic/claude-sonnet-4-5"],
  ["omp", "anthropic/claude-opus-5-5"],
  ["omp", "openai/gpt-6-sol"],
  ["openclaw", "openai/gpt-6-sol"],
  ["cursor", "cursor-grok-4.5"],
  ["hermes", "anthropic/claude-opus-4.6"],
];

/** What each level becomes, by asking the functions that decide it. */
export function effortMarkdown(): string {
  const registry = createModelRegistry({ snapshots: MODEL_SNAPSHOTS, now: () => new Date(0) });
  const cell = (agent: BuiltInAgentName, modelId: string, thinkingEffort: ThinkingEffortLevel) => {
    const model = registry.model(agent, modelId);
    const asked = { agent, prompt: "x", thinkingEffort };
    if (!validateRun(asked, MANIFESTS[agent].capabilities, model).ok) return "refused";
    return carriedText(nativeThinking({ agent, model, thinkingEffort }, BUILT_IN_ADAPTERS[agent].thinking));
  };
  const rows = EXAMPLES.map(([agent, modelId]) => [
    MANIFESTS[agent].displayName,
    modelId,
    ...THINKING_EFFORT_LEVELS.map((level) => cell(agent, modelId, level)),
  ]);
  return table(["Agent", "Model", ...THINKING_EFFORT_LEVELS], rows);
}

function carriedText({ argv, env, settings, modelName, params, warnings }: NativeThinking): string {
  const words = [
    argv.join(" "),
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
    settings === null ? "" : `settings: ${JSON.stringify(params)}`,
    modelName === null ? "" : `--model ${modelName}`,
  ].filter((word) => word !== "");
  return `${words.map((word) => `\`${word}\``).join(" ")}${warnings.length > 0 ? " (lowered)" : ""}`;
}

/** The ways to drive each agent, and what is different about them. */
export function transportsMarkdown(): string {
  const rows = ALL_MANIFESTS.flatMap(({ displayName, transports }) =>
    transports.map(({ name, command, when, differs }) => [
      displayName,
      `\`${name}\``,
      `\`${command}\``,
      when,
      Object.entries(differs)
        .map(([field, value]) => `\`${field}\`: ${Array.isArray(value) ? value.join(", ") : value}`)
        .join("; ") || "nothing",
    ]),
  );
  return table(["Agent", "Transport", "Command", "Taken", "Differs"], rows);
}

/** How to install each agent. */
export function installMarkdown(): string {
  const rows = ALL_MANIFESTS.flatMap(({ displayName, capabilities }) =>
    capabilities.installMethods.map(({ platform, command, notes = "" }) => [
      displayName,
      platform,
      `\`${command}\``,
      notes,
    ]),
  );
  return table(["Agent", "Platform", "Command", "Notes"], rows);
}

/** The plugin matrix of the seed's section 9. */
export function pluginsMarkdown(): string {
  const code = (text: string | undefined) => (text === undefined ? "no command" : `\`${text}\``);
  const rows = ALL_MANIFESTS.map(({ displayName, plugins, capabilities: can }) => [
    displayName,
    plugins,
    can.pluginFormats.join(", "),
    code(can.pluginListCmd),
    code(can.pluginSearchCmd),
    code(can.pluginInstallCmd),
    code(can.pluginUninstallCmd),
  ]);
  return table(["Agent", "Plugins", "Formats", "List", "Search", "Install", "Uninstall"], rows);
}
