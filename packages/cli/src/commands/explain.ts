/** capstan explain: how the gate decides a recorded call, by which rule and why. */
import { fail } from "@capstan/core";
import type { Command } from "../command.ts";

export const explain: Command = {
  usage: "capstan explain <call id>",
  summary: "Explains a call of the last 30 days: what the gate decided, by which rule, and why.",
  options: {},
  examples: ["capstan explain call_0123456789abcdef01234567"],
  async run({ server, print, args: [id] }) {
    if (id === undefined)
      return fail("command_invalid", { message: "a call's id is missing", usage: explain.usage });
    const answer = await (await server()).rules.explain(id);
    if (!answer.ok) return answer;
    const { decision, why, rule_id, tool, input, run_id } = answer.value;
    const lines = [
      `${tool} ${JSON.stringify(input)}`,
      `${decision}: ${why}`,
      ...(rule_id === null ? [] : [`Rule ${rule_id}`]),
      `Run ${run_id}`,
    ];
    return print(answer.value, `${lines.join("\n")}\n`);
  },
};
