/** capstan rules: which calls are allowed, require approval or are denied; simulated before they are saved. */

import type { Rule, RuleSimulation } from "@capstan/client";
import { fail, ok, type Result } from "@capstan/core";
import { parseClearJson } from "@capstan/core/internal";
import { Document, isMap, isSeq } from "yaml";
import type { Command, CommandContext } from "../command.ts";
import { itemsOf, printList } from "../print-table.ts";
import { checkNew } from "../rules/check-new.ts";
import { rulesIn } from "../rules/read-rules.ts";
import { fieldsOfRule } from "../rules/rule-plan.ts";
import { runVerb } from "../run-verb.ts";

export const rules: Command = {
  usage:
    "capstan rules [list [--agent <agent>] | add <file> | export [--agent <agent>] | remove <id> | simulate <file> | check <tool> --agent <agent> [--input <json>]]",
  summary:
    "Lists, adds and removes rules; checks them against one call, or against all calls of the last 30 days.",
  options: { agent: { type: "string" }, input: { type: "string" } },
  examples: [
    "capstan rules add rules.yaml",
    "capstan rules export > rules.yaml",
    "capstan rules simulate rules.yaml",
    `capstan rules check write_file --agent <agent> --input '{"path": "/a.txt", "content": "x"}'`,
  ],
  run: (context) =>
    runVerb(context, rules.usage, {
      list: { run: list },
      add: { needs: "a YAML or JSON file with one rule or a list of them", run: add },
      export: { run: exportRules },
      remove: { needs: "a rule's id", run: remove },
      simulate: { needs: "a YAML or JSON file with the whole set of rules", run: simulate },
      check: { needs: "a tool's name", run: check },
    }),
};

async function list({ server, print, terminal, options: { agent } }: CommandContext) {
  const answer = await (await server()).rules.all(typeof agent === "string" ? { agent_id: agent } : {});
  if (!answer.ok) return answer;
  const rows = answer.value.map(({ id, name, sentence, agent_id, expires_at }) => [
    id,
    name,
    sentence,
    agent_id ?? "every agent",
    expires_at ?? "never",
  ]);
  const none = "No rules; each tool's own policy applies. Add rules with `capstan rules add <file>`.";
  return print(itemsOf(answer.value), () =>
    printList(["ID", "NAME", "RULE", "FOR", "EXPIRES"], rows, terminal.columns, none),
  );
}

/** All of the file or nothing: a rule of a file may only make sense beside the others. */
async function add({ server, print }: CommandContext, file: string) {
  const read = await rulesIn(file, rules.usage);
  if (!read.ok) return read;
  const api = await server();
  const checked = await checkNew(api, file, read.value);
  if (!checked.ok) return checked;
  const items: Rule[] = [];
  for (const rule of read.value) {
    const made = await api.rules.create(rule);
    if (!made.ok) {
      for (const { id } of items) await api.rules.remove(id);
      return made;
    }
    items.push(made.value);
  }
  return print({ items }, () => items.map(({ id, sentence }) => `Added ${id}: ${sentence}\n`).join(""));
}

/** As a file for `capstan apply`, each rule with its sentence. */
async function exportRules({ server, print, options: { agent } }: CommandContext) {
  const answer = await (await server()).rules.all(typeof agent === "string" ? { agent_id: agent } : {});
  if (!answer.ok) return answer;
  const rules = answer.value.map(fieldsOfRule);
  return print({ rules }, () => {
    const document = new Document({ rules });
    const list = document.get("rules");
    if (isSeq(list))
      list.items.forEach((item, at) => {
        const { sentence } = answer.value[at] ?? {};
        if (sentence && isMap(item)) item.commentBefore = ` ${sentence}`;
      });
    return document.toString({ lineWidth: 0 });
  });
}

async function remove({ server, print }: CommandContext, id: string) {
  const sent = await (await server()).rules.remove(id);
  return sent.ok ? print({ removed: id }, `Removed ${id}\n`) : sent;
}

async function simulate({ server, print, terminal }: CommandContext, file: string) {
  const read = await rulesIn(file, rules.usage);
  if (!read.ok) return read;
  const answer = await (await server()).rules.simulate({ rules: read.value });
  return answer.ok ? print(answer.value, () => simulationText(answer.value, terminal.columns)) : answer;
}

async function check({ server, print, options: { agent, input } }: CommandContext, tool: string) {
  if (typeof agent !== "string") return missingAgent();
  const given = parsedInput(input);
  if (!given.ok) return given;
  const answer = await (await server()).rules.check({ agent_id: agent, tool, input: given.value });
  if (!answer.ok) return answer;
  const { decision, rule_id, why } = answer.value;
  return print(answer.value, `${decision}: ${why}${rule_id === null ? "" : ` (rule ${rule_id})`}\n`);
}

const missingAgent = () =>
  fail("command_invalid", { message: "--agent <agent> is missing", usage: rules.usage });

function parsedInput(text: unknown): Result<Record<string, unknown>> {
  if (typeof text !== "string") return ok({});
  try {
    const value: unknown = parseClearJson(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return ok({ ...value });
  } catch {
    // reported below
  }
  return fail("command_invalid", { message: "--input is not a JSON object", usage: rules.usage });
}

function simulationText({ calls, truncated, ...changes }: RuleSimulation, columns: number): string {
  const rows = Object.entries(changes).flatMap(([change, found]) =>
    found.map(({ tool, input, run_id, after }) => [
      change.replace("_", " "),
      tool,
      JSON.stringify(input).slice(0, 60),
      run_id,
      after.why,
    ]),
  );
  const tried = `Checked ${truncated ? "the newest " : ""}${calls} calls${truncated ? "; there are more" : ""}.\n`;
  return tried + printList(["CHANGE", "TOOL", "INPUT", "RUN", "WHY"], rows, columns, "Nothing would change.");
}
