/** capstan packages and capstan uninstall. */
import { createApi } from "@capstan/client";
import { fail } from "@capstan/core";
import type { Command } from "../command.ts";
import { printList } from "../print-table.ts";

export const packages: Command = {
  usage: "capstan packages",
  summary: "Lists installed packages.",
  async run({ server, json, terminal }) {
    const answer = await createApi(await server()).packages.list();
    if (!answer.ok) return answer;
    const rows = answer.value.items.map(({ name, version, kind, description }) => [
      name,
      version,
      kind,
      description.scopes.join(" ") || "-",
      description.tools.map((tool) => tool.name).join(", "),
    ]);
    terminal.out(
      json
        ? `${JSON.stringify(answer.value, null, 2)}\n`
        : printList(
            ["NAME", "VERSION", "KIND", "SCOPES", "TOOLS"],
            rows,
            terminal.columns,
            "Nothing is installed. `capstan install <file, folder or name>` reviews and installs.",
          ),
    );
    return 0;
  },
};

export const uninstall: Command = {
  usage: "capstan uninstall <name>",
  summary: "Uninstalls a package.",
  async run({ args: [name], server, json, terminal }) {
    if (name === undefined)
      return fail("command_invalid", { message: "a package's name is needed", usage: uninstall.usage });
    const path = `/v1/packages/${encodeURIComponent(name)}`;
    const answer = await (await server()).json<{ kept: string[]; used_by: { name: string }[] }>(
      "DELETE",
      path,
    );
    if (!answer.ok) return answer;
    const { kept, used_by } = answer.value;
    const notes = [
      ...used_by.map((agent) => `still listed by the agent ${agent.name}\n`),
      ...kept.map((folder) => `users' own data stays in ${folder}\n`),
    ];
    terminal.out(
      json ? `${JSON.stringify(answer.value, null, 2)}\n` : `Uninstalled ${name}\n${notes.join("")}`,
    );
    return 0;
  },
};
