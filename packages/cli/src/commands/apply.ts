/** capstan apply: makes the server's agents match the files, after showing the difference. Other agents are not touched. */
import { type Agent, type Api, agentPatch } from "@capstan/client";
import { agentFields } from "@capstan/client/wire";
import { fail, ok, type Refused, type Result } from "@capstan/core";
import { applyPlan, type Change, withoutNewAgents } from "../agents/apply-plan.ts";
import { printChanges } from "../agents/print-changes.ts";
import { located, readAgentFiles } from "../agents/read-agent-files.ts";
import type { Command, CommandContext } from "../command.ts";

export const apply: Command = {
  usage: "capstan apply <file or folder> [--yes] [--dry-run]",
  summary:
    "Shows how agents in files (YAML, JSON or TypeScript) differ from the server's, and applies the changes after confirmation.",
  options: { yes: { type: "boolean", short: "y" }, "dry-run": { type: "boolean" } },
  examples: ["capstan apply agents/", "capstan apply agents/helper.yaml --dry-run"],
  async run(context) {
    const [place, ...more] = context.args;
    if (place === undefined || more.length > 0)
      return fail("command_invalid", { message: "one file or folder is required", usage: apply.usage });
    const found = await readAgentFiles(place);
    if (!found.ok) return found;
    const api = await context.server();
    const served = await api.agents.all();
    if (!served.ok) return served;
    const plan = applyPlan(found.value, served.value);
    if (!plan.ok) return plan;
    const refused = await findRefusal(api, plan.value);
    if (refused) return refused;
    return carryOut(context, api, plan.value, served.value);
  },
};

async function carryOut(context: CommandContext, api: Api, plan: Change[], served: readonly Agent[]) {
  const { terminal, json, options } = context;
  if (!json) terminal.out(printChanges(plan));
  const changes = plan.filter(({ action }) => action !== "none");
  if (changes.length === 0 || options["dry-run"]) return report(context, plan, new Map());
  const question = `Apply ${changes.length === 1 ? "this change" : `these ${changes.length} changes`}? [y/N] `;
  const yes = options.yes || (await terminal.ask(question))?.trim().toLowerCase() === "y";
  if (!yes)
    return fail("conflict", {
      message: "Nothing was applied.",
      nextStep: "Answer with y, or pass --yes; --dry-run only shows the difference.",
    });
  const done = new Map<Change, Agent>();
  const ids = new Map(served.map(({ id, name }) => [name, id]));
  for (const change of changes) {
    const saved = await save(api, change, ids);
    if (!saved.ok) return located(change.path, saved);
    ids.set(saved.value.name, saved.value.id);
    done.set(change, saved.value);
  }
  return report(context, plan, done);
}

async function save(api: Api, { file, served }: Change, ids: ReadonlyMap<string, string>) {
  const fields = agentFields(file, (name) => {
    const id = ids.get(name);
    return id === undefined ? fail("not_found", { what: "agent", id: name }) : ok(id);
  });
  if (!fields.ok) return fields;
  return served
    ? api.agents.update(served.id, agentPatch(served, fields.value))
    : api.agents.create(fields.value);
}

/** What the server would refuse is reported before anything changes, so that a folder is never half applied. */
async function findRefusal(api: Api, plan: readonly Change[]): Promise<Refused | undefined> {
  const changed = plan.filter(({ action }) => action !== "none");
  for (const { fields, path } of changed.map(withoutNewAgents)) {
    const composed: Result<unknown> = await api.agents.checkUnsaved(fields);
    if (!composed.ok) return located(path, composed);
  }
  return undefined;
}

function report(
  { terminal, json, options, print }: CommandContext,
  plan: readonly Change[],
  done: Map<Change, Agent>,
) {
  if (json) {
    const changes = plan.map((change) => {
      const { action, file, path, served, differences } = change;
      return { action, name: file.name, id: (done.get(change) ?? served)?.id ?? null, path, differences };
    });
    return print({ applied: done.size > 0, changes }, "");
  }
  for (const [{ action }, { name, id, version }] of done)
    terminal.out(action === "create" ? `Created ${name} (${id})\n` : `Changed ${name}, now v${version}\n`);
  if (done.size === 0) terminal.out(options["dry-run"] ? "Nothing was applied.\n" : "Nothing to do.\n");
  return 0;
}
