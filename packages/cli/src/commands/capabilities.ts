/** capstan capabilities: the registered capabilities; with an id, one of them with its tools. */
import type { CapabilityDetail } from "@capstan/client";
import { CapabilityQuery } from "@capstan/client/wire";
import type { Command, CommandContext } from "../command.ts";
import { printList, printTable } from "../print-table.ts";
import { requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";

export const capabilities: Command = {
  usage:
    "capstan capabilities [list | show <id> | versions <id>] [--status available] [--category Network] [--search text]",
  summary:
    "Lists capabilities, shows one with its prompt and tools, or lists its versions and the agents that use them.",
  options: { status: { type: "string" }, category: { type: "string" }, search: { type: "string" } },
  examples: [
    "capstan capabilities --search file",
    "capstan capabilities show web_fetch --json",
    "capstan capabilities versions tides",
  ],
  run: (context) =>
    runVerb(context, capabilities.usage, {
      list: { run: list },
      show: { needs: "a capability's id", run: show },
      versions: { needs: "a capability's id", run: versions },
    }),
};

async function list({ server, options, print, terminal }: CommandContext) {
  const { status, category, search: q } = options;
  const query = requestBody(
    CapabilityQuery.omit({ limit: true }),
    { status, category, q },
    capabilities.usage,
  );
  if (!query.ok) return query;
  const all = await (await server()).capabilities.all(query.value);
  if (!all.ok) return all;
  const items = all.value;
  const rows = items.map((item) => [item.id, item.status, item.category ?? "", item.description]);
  const head = ["ID", "STATUS", "CATEGORY", "DESCRIPTION"];
  return print({ items, total: items.length }, () =>
    printList(head, rows, terminal.columns, "No capability matches."),
  );
}

async function show({ server, print, terminal }: CommandContext, id: string) {
  const answer = await (await server()).capabilities.get(id);
  return answer.ok ? print(answer.value, () => described(answer.value, terminal.columns)) : answer;
}

async function versions({ server, print, terminal }: CommandContext, id: string) {
  const answer = await (await server()).capabilities.versions(id);
  if (!answer.ok) return answer;
  const rows = answer.value.items.map(({ version, registered, at, by, used_by }) => [
    version,
    registered ? "registered" : "kept",
    at ?? "-",
    by ?? "-",
    used_by.map(({ name }) => name).join(", ") || "-",
  ]);
  const head = ["VERSION", "STATUS", "AT", "BY", "USED BY"];
  return print(answer.value, () => printList(head, rows, terminal.columns, "No versions."));
}

function described(capability: CapabilityDetail, columns: number): string {
  const { id, name, description, version, status, system_prompt, tools } = capability;
  const rows = tools.map((tool) => [
    `  ${tool.name}`,
    tool.unavailable ? "hidden" : tool.policy,
    tool.unavailable ?? tool.description,
  ]);
  return [
    `${name} (${id}) ${version}, ${status}\n${description}\n`,
    ...(system_prompt ? [`\nPrompt:\n${system_prompt.replace(/^/gm, "  ")}\n`] : []),
    ...(tools.length > 0 ? ["\nTools:\n"] : []),
    printTable(rows, columns),
  ].join("");
}
