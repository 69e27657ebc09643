/** capstan agents: list, show (with its preview), create, delete, export. */
import { type Agent, createApi } from "@capstan/client";
import { findAgent } from "../agents/find-agent.ts";
import type { Command, CommandContext } from "../command.ts";
import { printList, printTable } from "../print-table.ts";
import { runVerb } from "../run-verb.ts";
import { exportAgents } from "./agents-export.ts";

interface Preview {
  system_prompt: string;
  tools: { name: string; capability_id: string; policy: string }[];
  hidden_tools: { name: string; reason: string; detail: string }[];
  capabilities: { id: string; tokens: { total: number } }[];
  warnings: string[];
  tokens: { total: number };
}

export const agents: Command = {
  usage:
    "capstan agents [list | show <id or name> | create <name> --capability <id>... | delete <id or name> | export [<id or name>] [--as yaml|ts|skill|agents-md|mcp-json] [--out <folder>]]",
  summary:
    "Lists agents; shows one composed; creates and deletes; writes them as files that `capstan apply` reads.",
  options: {
    capability: { type: "string", multiple: true },
    prompt: { type: "string" },
    model: { type: "string" },
    harness: { type: "string" },
    as: { type: "string" },
    out: { type: "string" },
  },
  examples: [
    "capstan agents create helper --capability current_time --capability test_math",
    "capstan agents show helper --json",
    "capstan agents export --out agents/",
    "capstan agents export helper --as mcp-json",
  ],
  run: (context) =>
    runVerb(context, agents.usage, {
      list: { run: list },
      show: { needs: AN_AGENT, run: show },
      create: { needs: "a name", run: create },
      delete: { needs: AN_AGENT, run: remove },
      export: { run: (_, subject) => exportAgents(context, subject === "" ? undefined : subject) },
    }),
};
const AN_AGENT = "an agent's name or id";

async function list({ server, json, terminal }: CommandContext) {
  const answer = await (await server()).json<{ items: Agent[] }>("GET", "/v1/agents");
  if (!answer.ok) return answer;
  if (json) terminal.out(`${JSON.stringify(answer.value, null, 2)}\n`);
  else {
    const rows = answer.value.items.map(({ id, name, harness, model, capabilities }) => [
      id,
      name,
      harness,
      model ?? "default",
      capabilities.join(", "),
    ]);
    terminal.out(
      printList(
        ["ID", "NAME", "HARNESS", "MODEL", "CAPABILITIES"],
        rows,
        terminal.columns,
        "No agent yet. `capstan agents create <name> --capability <id>` makes one.",
      ),
    );
  }
  return 0;
}

async function show({ server, json, terminal }: CommandContext, wanted: string) {
  const connection = await server();
  const agent = await findAgent(createApi(connection), wanted);
  if (!agent.ok) return agent;
  const preview = await connection.json<Preview>("GET", `/v1/agents/${agent.value.id}/preview`);
  if (!preview.ok) return preview;
  if (json) terminal.out(`${JSON.stringify({ ...agent.value, preview: preview.value }, null, 2)}\n`);
  else terminal.out(described(agent.value, preview.value, terminal.columns));
  return 0;
}

function described({ name, version, harness, model }: Agent, preview: Preview, columns: number): string {
  const { system_prompt, tools, hidden_tools, capabilities, warnings, tokens } = preview;
  const prices = capabilities.map(({ id, tokens }) => [`  ${id}`, `${tokens.total} tokens`]);
  const shown = tools.map(({ name, capability_id, policy }) => [`  ${name}`, policy, capability_id]);
  const hidden = hidden_tools.map(({ name, reason, detail }) => [`  ${name}`, `hidden: ${reason}`, detail]);
  return [
    `${name} v${version}, ${harness}, ${model ?? "default model"}, ${tokens.total} tokens per call\n`,
    `\nPrompt:\n${system_prompt.replace(/^/gm, "  ")}\n`,
    `\nCapabilities:\n${printTable(prices, columns)}`,
    `\nTools:\n${printTable([...shown, ...hidden], columns)}`,
    ...warnings.map((warning) => `\nWarning: ${warning}\n`),
  ].join("");
}

async function create({ server, options, json, terminal }: CommandContext, name: string) {
  const body = {
    name,
    capabilities: options.capability ?? [],
    ...(options.prompt !== undefined && { system_prompt: options.prompt }),
    ...(options.model !== undefined && { model: options.model }),
    ...(options.harness !== undefined && { harness: options.harness }),
  };
  const answer = await (await server()).json<Agent>("POST", "/v1/agents", { json: body });
  if (!answer.ok) return answer;
  terminal.out(
    json
      ? `${JSON.stringify(answer.value, null, 2)}\n`
      : `Created ${answer.value.name} (${answer.value.id})\n`,
  );
  return 0;
}

async function remove({ server, json, terminal }: CommandContext, wanted: string) {
  const api = createApi(await server());
  const agent = await findAgent(api, wanted);
  if (!agent.ok) return agent;
  const { id } = agent.value;
  const answer = await api.agents.delete(id);
  if (!answer.ok) return answer;
  terminal.out(json ? `${JSON.stringify({ deleted: id })}\n` : `Deleted ${id}\n`);
  return 0;
}
