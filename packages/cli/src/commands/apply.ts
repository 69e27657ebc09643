/** capstan apply: makes the server's agents and rules match the files, after showing the difference. Others are not touched. */
import { type Agent, type Api, agentPatch, type Rule, rulePatch } from "@capstan/client";
import { agentFields } from "@capstan/client/wire";
import { fail, ok, type Refused, type Result } from "@capstan/core";
import { applyPlan, type Change, withoutNewAgents } from "../agents/apply-plan.ts";
import { printChanges } from "../agents/print-changes.ts";
import { type FoundFiles, located, readAgentFiles } from "../agents/read-agent-files.ts";
import type { Command, CommandContext } from "../command.ts";
import { printRuleChanges, type RuleChange, rulePlan } from "../rules/rule-plan.ts";

export const apply: Command = {
  usage: "capstan apply <file or folder> [--yes] [--dry-run]",
  summary:
    "Shows how agents and rules in files (YAML, JSON or TypeScript) differ from the server's, and applies the changes after confirmation.",
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
    const plan = applyPlan(found.value.agents, served.value);
    if (!plan.ok) return plan;
    const rules = await planRules(api, found.value, served.value);
    if (!rules.ok) return rules;
    const refused = (await findRefusal(api, plan.value)) ?? (await findRuleRefusal(api, rules.value));
    if (refused) return refused;
    return carryOut(context, api, { agents: plan.value, rules: rules.value }, served.value);
  },
};

interface Plan {
  readonly agents: readonly Change[];
  readonly rules: readonly RuleChange[];
}

async function carryOut(context: CommandContext, api: Api, plan: Plan, served: readonly Agent[]) {
  const { terminal, json, options } = context;
  if (!json) terminal.out(printChanges(plan.agents) + printRuleChanges(plan.rules));
  const changes = plan.agents.filter(({ action }) => action !== "none");
  const rules = plan.rules.filter(({ action }) => action !== "none");
  const count = changes.length + rules.length;
  if (count === 0 || options["dry-run"]) return report(context, plan, new Map(), []);
  const question = `Apply ${count === 1 ? "this change" : `these ${count} changes`}? [y/N] `;
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
  const saved = await saveRules(api, rules, ids);
  return saved.ok ? report(context, plan, done, saved.value) : saved;
}

async function planRules(
  api: Api,
  { agents, rules }: FoundFiles,
  served: readonly Agent[],
): Promise<Result<RuleChange[]>> {
  if (rules.length === 0) return ok([]);
  const saved = await api.rules.all();
  if (!saved.ok) return saved;
  const coming = new Set(agents.map(({ file }) => file.name));
  return rulePlan(rules, { served: saved.value, agents: served, coming });
}

/** A dry run checks every rule; a rule for an agent that is created here is checked when it is saved. */
async function findRuleRefusal(api: Api, rules: readonly RuleChange[]): Promise<Refused | undefined> {
  const known = rules.filter(({ action, newAgent }) => action !== "none" && newAgent === undefined);
  if (known.length === 0) return undefined;
  const tried = await api.rules.simulate({ rules: known.map(({ fields }) => fields) });
  return tried.ok ? undefined : tried;
}

async function saveRules(
  api: Api,
  changes: readonly RuleChange[],
  ids: ReadonlyMap<string, string>,
): Promise<Result<Rule[]>> {
  const done: Rule[] = [];
  for (const { served, fields, newAgent, path } of changes) {
    const agent_id = newAgent === undefined ? (fields.agent_id ?? null) : (ids.get(newAgent) ?? null);
    const rule = { ...fields, agent_id };
    const saved = served
      ? await api.rules.change(served.id, rulePatch(served, rule))
      : await api.rules.create(rule);
    if (!saved.ok) return located(path, saved);
    done.push(saved.value);
  }
  return ok(done);
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
  plan: Plan,
  done: Map<Change, Agent>,
  saved: readonly Rule[],
) {
  const applied = done.size + saved.length > 0;
  if (json) {
    const changes = plan.agents.map((change) => {
      const { action, file, path, served, differences } = change;
      return { action, name: file.name, id: (done.get(change) ?? served)?.id ?? null, path, differences };
    });
    const rules = plan.rules.map(({ action, fields: { name }, path, served, sentence }) => {
      const id = (saved.find((rule) => rule.name === name) ?? served)?.id ?? null;
      return { action, name, id, path, sentence };
    });
    return print({ applied, changes, ...(rules.length > 0 && { rules }) }, "");
  }
  for (const [{ action }, { name, id, version }] of done)
    terminal.out(action === "create" ? `Created ${name} (${id})\n` : `Changed ${name}, now v${version}\n`);
  for (const { id, sentence } of saved) terminal.out(`Saved rule ${id}: ${sentence}\n`);
  if (!applied) terminal.out(options["dry-run"] ? "Nothing was applied.\n" : "Nothing to do.\n");
  return 0;
}
