/** capstan agents: list, show (with its preview), create, delete, export. */
import type { Agent, AgentPreview } from "@capstan/client";
import { AgentCreate } from "@capstan/client/wire";
import { capabilityId } from "../agents/capability-id.ts";
import { findAgent } from "../agents/find-agent.ts";
import { shareAgent, unshareAgent } from "../agents/share-agent.ts";
import type { Command, CommandContext } from "../command.ts";
import { printList, printTable } from "../print-table.ts";
import { requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";
import { exportAgents } from "./agents-export.ts";
import {
  diffRevisions,
  labelRevision,
  listLabels,
  listRevisions,
  restoreRevision,
} from "./agents-revisions.ts";

export const agents: Command = {
  usage:
    "capstan agents [list | show <id or name> | create <name> --capability <id>... | delete <id or name> [--force] | revisions <id or name> | diff <id or name> <from> [<to>] | restore <id or name> <number> | label <id or name> <draft|live|canary> <number|none> [--share <percent>] | labels <id or name> | share <id or name> [--with <address or group:claim=value>... [--may use,change,approve]] [--private | --all] | unshare <id or name> --with <address or group:claim=value>... | export [<id or name>] [--as yaml|ts|skill|agents-md|mcp-json] [--out <folder>]]",
  summary:
    "Lists, creates, deletes, shares and exports agents (as files for `capstan apply`); shows an agent as composed, its revisions and labels.",
  options: {
    capability: { type: "string", multiple: true },
    prompt: { type: "string" },
    model: { type: "string" },
    harness: { type: "string" },
    as: { type: "string" },
    out: { type: "string" },
    force: { type: "boolean" },
    why: { type: "string" },
    share: { type: "string" },
    yes: { type: "boolean" },
    with: { type: "string", multiple: true },
    may: { type: "string" },
    private: { type: "boolean" },
    all: { type: "boolean" },
  },
  examples: [
    "capstan agents create helper --capability current_time --capability test_math",
    "capstan agents show helper --json",
    "capstan agents diff helper 3 5",
    "capstan agents label helper canary 5 --share 10",
    "capstan agents label helper live 5 --why 'Answers in one sentence'",
    "capstan agents share helper --with mia@example.com --with group:groups=staff --may use,approve",
    "capstan agents export --out agents/",
    "capstan agents export helper --as mcp-json",
  ],
  run: (context) =>
    runVerb(context, agents.usage, {
      list: { run: list },
      show: { needs: AN_AGENT, run: show },
      create: { needs: "a name", run: create },
      delete: { needs: AN_AGENT, run: remove },
      revisions: { needs: AN_AGENT, run: listRevisions },
      diff: { needs: AN_AGENT, run: diffRevisions },
      restore: { needs: AN_AGENT, run: restoreRevision },
      label: { needs: AN_AGENT, run: labelRevision },
      labels: { needs: AN_AGENT, run: listLabels },
      share: { needs: AN_AGENT, run: shareAgent },
      unshare: { needs: AN_AGENT, run: unshareAgent },
      export: { run: (_, subject) => exportAgents(context, subject === "" ? undefined : subject) },
    }),
};
const AN_AGENT = "an agent's name or id";

async function list({ server, print, terminal }: CommandContext) {
  const answer = await (await server()).agents.list();
  if (!answer.ok) return answer;
  const rows = answer.value.items.map(({ id, name, harness, model, capabilities }) => [
    id,
    name,
    harness,
    model ?? "default",
    capabilities.map(capabilityId).join(", "),
  ]);
  const head = ["ID", "NAME", "HARNESS", "MODEL", "CAPABILITIES"];
  const none = "No agents yet. Create one with `capstan agents create <name> --capability <id>`.";
  return print(answer.value, () => printList(head, rows, terminal.columns, none));
}

async function show({ server, print, terminal }: CommandContext, wanted: string) {
  const api = await server();
  const agent = await findAgent(api, wanted);
  if (!agent.ok) return agent;
  const preview = await api.agents.preview(agent.value.id);
  if (!preview.ok) return preview;
  return print({ ...agent.value, preview: preview.value }, () =>
    described(agent.value, preview.value, terminal.columns),
  );
}

function described({ name, version, harness, model }: Agent, preview: AgentPreview, columns: number): string {
  const { system_prompt, tools, hidden_tools, capabilities, warnings, tokens } = preview;
  const prices = capabilities.map(({ id, tokens }) => [`  ${id}`, `${tokens.total} tokens`]);
  const shown = tools.map(({ name, capability_id, policy, reads, writes }) => [
    `  ${name}`,
    policy,
    capability_id,
    [...reads.map((read) => `reads ${read}`), ...writes.map((write) => `writes ${write}`)].join(", "),
  ]);
  const hidden = hidden_tools.map(({ name, reason, detail }) => [`  ${name}`, `hidden: ${reason}`, detail]);
  return [
    `${name} v${version}, ${harness}, ${model ?? "default model"}, ${tokens.total} tokens per call\n`,
    `\nPrompt:\n${system_prompt.replace(/^/gm, "  ")}\n`,
    `\nCapabilities:\n${printTable(prices, columns)}`,
    `\nTools:\n${printTable([...shown, ...hidden], columns)}`,
    ...warnings.map((warning) => `\nWarning: ${warning}\n`),
  ].join("");
}

async function create({ server, options, print }: CommandContext, name: string) {
  const { capability: capabilities = [], prompt: system_prompt, model, harness } = options;
  const body = requestBody(AgentCreate, { name, capabilities, system_prompt, model, harness }, agents.usage);
  if (!body.ok) return body;
  const answer = await (await server()).agents.create(body.value);
  if (!answer.ok) return answer;
  return print(answer.value, `Created ${answer.value.name} (${answer.value.id})\n`);
}

async function remove({ server, options, print }: CommandContext, wanted: string) {
  const api = await server();
  const agent = await findAgent(api, wanted);
  if (!agent.ok) return agent;
  const { id } = agent.value;
  const answer = await api.agents.delete(id, { force: options.force === true });
  return answer.ok ? print({ deleted: id }, `Deleted ${id}\n`) : answer;
}
