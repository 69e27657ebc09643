/**
 * What applying rules of files would change on a server. A rule is found by its name; rules that no file names are not
 * touched. The same fields as in the API, with `agent: <name>` instead of `agent_id` where a name is easier to keep.
 */
import { isDeepStrictEqual } from "node:util";
import type { Agent, Rule } from "@capstan/client";
import { RuleCreate } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import { readInput, ruleSentence } from "@capstan/core/internal";
import { z } from "zod";

export interface FoundRule {
  readonly path: string;
  readonly rule: z.output<typeof RuleFile>;
}

export interface RuleChange {
  readonly action: "create" | "update" | "none";
  readonly path: string;
  readonly served: Rule | undefined;
  /** The agent it is for, by name, while it does not exist yet. */
  readonly newAgent?: string | undefined;
  readonly fields: z.output<typeof RuleCreate>;
  readonly sentence: string;
}

const RuleFile = RuleCreate.safeExtend({
  agent: z.string().min(1).max(200).optional().meta({ description: "The agent's name." }),
});
const RulesFile = z.strictObject({ rules: z.array(RuleFile).max(1_000) });

/** Whether a document of a file is a list of rules. */
export const isRulesFile = (document: unknown): boolean =>
  typeof document === "object" && document !== null && "rules" in document && !("capabilities" in document);

export function parseRulesFile(document: unknown): Result<FoundRule["rule"][]> {
  const read = readInput(RulesFile, document);
  return read.ok ? ok(read.value.rules) : fail("input_invalid", { where: read.where, issues: read.faults });
}

export interface RulePlanParts {
  readonly served: readonly Rule[];
  readonly agents: readonly Pick<Agent, "id" | "name">[];
  /** Names of agents that are created before the rules are saved. */
  readonly coming: ReadonlySet<string>;
}

export function rulePlan(found: readonly FoundRule[], parts: RulePlanParts): Result<RuleChange[]> {
  const changes: RuleChange[] = [];
  for (const { path, rule } of found) {
    if (changes.some(({ fields }) => fields.name === rule.name))
      return fail("input_invalid", { where: `${path}: two rules are named "${rule.name}"` });
    const change = changeOf(path, rule, parts);
    if (!change.ok) return change;
    changes.push(change.value);
  }
  return ok(changes);
}

function changeOf(
  path: string,
  { agent, ...fields }: FoundRule["rule"],
  { served, agents, coming }: RulePlanParts,
): Result<RuleChange> {
  const same = served.filter(({ name }) => name === fields.name);
  if (same.length > 1) return ambiguous(path, fields.name, same.length);
  const agentId = agents.find(({ name }) => name === agent)?.id ?? fields.agent_id;
  const newAgent = agent !== undefined && agentId === undefined ? agent : undefined;
  if (newAgent !== undefined && !coming.has(newAgent))
    return fail("not_found", { what: "agent", id: newAgent });
  const meant = { ...fields, agent_id: agentId ?? null };
  const [before] = same;
  const action = !before ? "create" : newAgent === undefined && isSame(before, meant) ? "none" : "update";
  const sentence = ruleSentence({
    tools: meant.tools,
    when: meant.when,
    effect: meant.then,
    limit: meant.limit ?? undefined,
  });
  return ok({ action, path, served: before, newAgent, fields: meant, sentence });
}

const ambiguous = (path: string, name: string, count: number) =>
  fail("conflict", {
    message: `${path}: the server has ${count} rules named "${name}".`,
    nextStep: "Rename or remove all but one: `capstan rules list`.",
  });

type ServerField = "id" | "sentence" | "created_by" | "created_at" | "updated_at";

/** As in a file: without the server's fields and without unset ones. */
export const fieldsOfRule = (rule: Omit<Rule, ServerField>) => ({
  name: rule.name,
  ...(rule.agent_id !== null && { agent_id: rule.agent_id }),
  ...(rule.user !== null && { user: rule.user }),
  tools: rule.tools,
  ...(rule.when.length > 0 && { when: rule.when }),
  then: rule.then,
  ...(rule.limit !== null && { limit: rule.limit }),
  ...(rule.ask !== null && { ask: rule.ask }),
  ...(rule.words !== null && { words: rule.words }),
  ...(rule.expires_at !== null && { expires_at: rule.expires_at }),
});

function isSame(served: Rule, fields: RuleChange["fields"]): boolean {
  const now = fieldsOfRule({
    ...served,
    ...fields,
    agent_id: fields.agent_id ?? null,
    user: fields.user ?? null,
    limit: fields.limit ?? null,
    ask: fields.ask ?? null,
    words: fields.words ?? null,
    expires_at: fields.expires_at ? new Date(fields.expires_at).toISOString() : null,
  });
  return isDeepStrictEqual(now, fieldsOfRule(served));
}

const SIGNS = { create: "+", update: "~", none: "=" } as const;

export const printRuleChanges = (changes: readonly RuleChange[]): string =>
  changes
    .map(
      ({ action, fields, path, served, sentence }) =>
        `${SIGNS[action]} rule "${fields.name}" (${served?.id ?? "new"}) from ${path}\n    ${action === "none" ? "no difference" : sentence}\n`,
    )
    .join("");
