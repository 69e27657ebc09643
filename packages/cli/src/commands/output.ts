/** capstan output: everything a failed command printed. */
import type { CommandOutput } from "@capstan/client";
import { fail } from "@capstan/core";
import type { Command } from "../command.ts";

export const output: Command = {
  usage: "capstan output <id>",
  summary: "Prints the full output of a failed command; the failure message has the id.",
  examples: ["capstan output 0b0e4f0a-5a53-4d55-9c5d-8a0f9ea1f0a3"],
  async run({ args: [id], server, print }) {
    if (id === undefined)
      return fail("command_invalid", { message: "the id of an output is required", usage: output.usage });
    const found = await (await server()).packages.output(id);
    return found.ok ? print(found.value, () => outputText(found.value)) : found;
  },
};

function outputText({ command, exit_code, stdout, stderr, cut }: CommandOutput): string {
  const lines = (text: string) => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
  const more = cut ? "[cut: the command printed more]\n" : "";
  return `${command} ended with code ${exit_code}\n${lines(stdout)}${lines(stderr)}${more}`;
}
