/** capstan capabilities: what is registered; with an id, one of them with its tools. */
import type { Command, CommandContext } from "../command.ts";
import { printList, printTable } from "../print-table.ts";
import { runVerb } from "../run-verb.ts";

interface CapabilityRow {
  id: string;
  name: string;
  status: string;
  category?: string;
  description: string;
}

interface CapabilityDetail extends CapabilityRow {
  version: string;
  system_prompt?: string;
  tools: { name: string; policy: string; description: string; unavailable?: string }[];
}

export const capabilities: Command = {
  usage: "capstan capabilities [list | show <id>] [--status available] [--category Network] [--search text]",
  summary: "Lists capabilities, or shows one with its prompt and tools.",
  options: { status: { type: "string" }, category: { type: "string" }, search: { type: "string" } },
  examples: ["capstan capabilities --search file", "capstan capabilities show web_fetch --json"],
  run: (context) =>
    runVerb(context, capabilities.usage, {
      list: { run: list },
      show: { needs: "a capability's id", run: show },
    }),
};

async function list({ server, options, json, terminal }: CommandContext) {
  const { status, category, search } = options as Record<string, string | undefined>;
  const query = { status, category, q: search };
  const answer = await (await server()).json<{ items: CapabilityRow[] }>("GET", "/v1/capabilities", {
    query,
  });
  if (!answer.ok) return answer;
  if (json) terminal.out(`${JSON.stringify(answer.value, null, 2)}\n`);
  else {
    const rows = answer.value.items.map((item) => [
      item.id,
      item.status,
      item.category ?? "",
      item.description,
    ]);
    const head = ["ID", "STATUS", "CATEGORY", "DESCRIPTION"];
    terminal.out(printList(head, rows, terminal.columns, "No capability is like that."));
  }
  return 0;
}

async function show({ server, json, terminal }: CommandContext, id: string) {
  const answer = await (await server()).json<CapabilityDetail>(
    "GET",
    `/v1/capabilities/${encodeURIComponent(id)}`,
  );
  if (!answer.ok) return answer;
  const { name, description, version, status, system_prompt, tools } = answer.value;
  if (json) terminal.out(`${JSON.stringify(answer.value, null, 2)}\n`);
  else {
    terminal.out(`${name} (${id}) ${version}, ${status}\n${description}\n`);
    if (system_prompt) terminal.out(`\nPrompt:\n${system_prompt.replace(/^/gm, "  ")}\n`);
    if (tools.length > 0) terminal.out("\nTools:\n");
    terminal.out(
      printTable(
        tools.map((tool) => [
          `  ${tool.name}`,
          tool.unavailable ? "hidden" : tool.policy,
          tool.unavailable ?? tool.description,
        ]),
        terminal.columns,
      ),
    );
  }
  return 0;
}
