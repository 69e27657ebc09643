/** capstan explain: how the gate decided a past call, by which rule and why, and what the rules say now. */
import type { CallExplanation } from "@capstan/client";
import { fail } from "@capstan/core";
import type { Command } from "../command.ts";

const INPUT_CHARS = 2_000;

export const explain: Command = {
  usage: "capstan explain <call id>",
  summary:
    "Explains a call of the last 30 days: how it was decided, by which rule and why, and what the rules say now.",
  options: {},
  examples: ["capstan explain call_0123456789abcdef01234567"],
  async run({ server, print, args: [id] }) {
    if (id === undefined)
      return fail("command_invalid", { message: "a call's id is missing", usage: explain.usage });
    const answer = await (await server()).rules.explain(id);
    return answer.ok ? print(answer.value, `${linesOf(answer.value).join("\n")}\n`) : answer;
  },
};

function linesOf({ tool, input, edited_input, user, path, decisions, now, note, run_id }: CallExplanation) {
  return [
    `${tool}${shown(input)}`,
    ...(edited_input === null ? [] : [`Edited:${shown(edited_input)}`]),
    `For ${user}${path === null ? "" : `, by ${path}`}${run_id === null ? "" : `, in run ${run_id}`}`,
    ...decisions.flatMap(decisionLines),
    ...(now === null ? [] : [`Now: ${now.decision}: ${now.why}`]),
    ...(note === null ? [] : [note]),
  ];
}

const shown = (input: unknown): string => {
  const text = input === null ? "" : ` ${JSON.stringify(input)}`;
  return text.length > INPUT_CHARS ? `${text.slice(0, INPUT_CHARS)}…` : text;
};

const decisionLines = ({ at, decision, outcome, why, rule_id, rule_name, sentence }: Decision): string[] => [
  `${at} ${decision} (${outcome}): ${why}`,
  ...(rule_id === null ? [] : [`  Rule "${rule_name}" (${rule_id}): ${sentence}`]),
];

type Decision = CallExplanation["decisions"][number];
