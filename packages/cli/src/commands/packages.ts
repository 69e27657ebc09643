/** capstan packages and capstan uninstall. */
import { fail } from "@capstan/core";
import type { Command } from "../command.ts";
import { itemsOf, printList } from "../print-table.ts";

export const packages: Command = {
  usage: "capstan packages",
  summary: "Lists installed packages.",
  async run({ server, print, terminal }) {
    const answer = await (await server()).packages.all();
    if (!answer.ok) return answer;
    const rows = answer.value.map(({ name, version, kind, linked, description }) => [
      name,
      version,
      linked ? `${kind}, linked` : kind,
      description.scopes.join(" ") || "-",
      description.tools.map((tool) => tool.name).join(", "),
    ]);
    const head = ["NAME", "VERSION", "KIND", "SCOPES", "TOOLS"];
    const none =
      "No packages installed. Review and install one with `capstan install <file, folder or name>`.";
    const problems = answer.value.flatMap(({ name, problem }) =>
      problem ? [`${name}: ${problem.message} ${problem.nextStep}\n`] : [],
    );
    return print(
      itemsOf(answer.value),
      () => printList(head, rows, terminal.columns, none) + problems.join(""),
    );
  },
};

export const uninstall: Command = {
  usage: "capstan uninstall <name> [--force]",
  summary: "Uninstalls a package. Refused while agents use it; --force uninstalls it anyway and lists them.",
  options: { force: { type: "boolean" } },
  async run({ args: [name], options, server, print }) {
    if (name === undefined)
      return fail("command_invalid", { message: "a package name is required", usage: uninstall.usage });
    const answer = await (await server()).packages.uninstall(name, { force: options.force === true });
    if (!answer.ok) return answer;
    const { kept, used_by, broken } = answer.value;
    const notes = [
      ...broken.map(({ name: agent, why }) => `the agent ${agent} is broken: ${why}\n`),
      ...used_by.map((agent) => `still used by the agent ${agent.name}\n`),
      ...kept.map((folder) => `user data is kept in ${folder}\n`),
    ];
    return print(answer.value, `Uninstalled ${name}\n${notes.join("")}`);
  },
};
