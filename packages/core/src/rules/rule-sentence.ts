/** A rule as a sentence, generated from it, so that both always agree. */
import type { Rule, RuleCondition, RuleEffect, RuleOperator, RuleValue } from "./rule.ts";

const EFFECTS: Readonly<Record<RuleEffect, string>> = { allow: "Allow", ask: "Ask before", deny: "Deny" };

const OPERATORS: Readonly<Record<RuleOperator, string>> = {
  is: "is",
  is_not: "is not",
  in: "is one of",
  not_in: "is none of",
  above: "is above",
  below: "is below",
  at_least: "is at least",
  at_most: "is at most",
  under: "is under",
  not_under: "is not under",
  contains: "contains",
  not_contains: "does not contain",
  starts_with: "starts with",
  ends_with: "ends with",
  not_ends_with: "does not end with",
  exists: "is given",
  missing: "is not given",
};

export function ruleSentence({ tools, when, effect }: Pick<Rule, "tools" | "when" | "effect">): string {
  const what = `${EFFECTS[effect]} ${orList(tools.map(toolWords))}`;
  return when.length === 0 ? `${what}.` : `${what} when ${when.map(conditionWords).join(" and ")}.`;
}

function toolWords(pattern: string): string {
  if (pattern === "*") return "every tool";
  if (pattern.startsWith("capability:")) return `every tool of ${pattern.slice("capability:".length)}`;
  if (pattern.startsWith("risk:")) return `every ${pattern.slice("risk:".length)} tool`;
  return pattern.endsWith("*") ? `every tool named ${pattern}` : pattern;
}

function conditionWords(condition: RuleCondition): string {
  if ("arg" in condition) {
    const { arg, op, value } = condition;
    return [arg, OPERATORS[op], ...(value === undefined ? [] : [valueWords(value)])].join(" ");
  }
  if ("seen" in condition) return `the run has read ${condition.seen} data`;
  if ("expr" in condition) return `\`${condition.expr}\``;
  return `the user is ${orList([condition.user].flat())}`;
}

const valueWords = (value: RuleValue): string =>
  Array.isArray(value) ? orList(value.map((each) => JSON.stringify(each))) : JSON.stringify(value);

const orList = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
