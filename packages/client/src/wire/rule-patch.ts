/** Builds a patch from a complete rule, such as a form or a file: what is missing from it is removed. */
import type { Rule, RuleCreate, RulePatch } from "./rules.ts";

export const rulePatch = (before: Rule, { limit, ask, ...after }: RuleCreate): RulePatch => ({
  agent_id: null,
  when: [],
  words: null,
  expires_at: null,
  ...after,
  limit: limit ? { ...noneOf(before.limit), ...limit } : null,
  ask: ask ? { ...noneOf(before.ask), ...ask } : null,
});

const noneOf = (had: object | null) => Object.fromEntries(Object.keys(had ?? {}).map((name) => [name, null]));
