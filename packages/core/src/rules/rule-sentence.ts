/** A rule as a sentence, generated from it, so that both always agree. */
import type {
  CallCount,
  Rule,
  RuleAsk,
  RuleCondition,
  RuleEffect,
  RuleLimit,
  RuleOperator,
  RuleTime,
  RuleValue,
} from "./rule.ts";

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
  not_starts_with: "does not start with",
  not_ends_with: "does not end with",
  exists: "is given",
  missing: "is not given",
};

export function ruleSentence({
  tools,
  when,
  effect,
  ask,
  limit,
}: Pick<Rule, "tools" | "when" | "effect" | "ask" | "limit">): string {
  const named = orList(tools.map(toolWords));
  const what = limit ? limitWords(limit, named, ask) : `${effectWords(effect, ask)} ${named}`;
  return when.length === 0 ? `${what}.` : `${what} when ${when.map(conditionWords).join(" and ")}.`;
}

const effectWords = (effect: Rule["effect"], ask: RuleAsk | undefined): string =>
  effect === "ask" ? askWords(ask) : EFFECTS[effect === "limit" ? "deny" : effect];

/** The effect comes first, the conditions follow. */
const limitWords = (limit: RuleLimit, named: string, ask: RuleAsk | undefined): string =>
  `${effectWords(limit.over ?? "deny", ask)} more than ${countWords(limit)} of ${named}`;

const countWords = ({ calls, per, each }: CallCount): string =>
  `${calls} ${calls === 1 ? "call" : "calls"} ${per === "hour" ? "an" : "a"} ${per}${each ? ` for each ${each}` : ""}`;

/** Whom it asks is part of the sentence; what happens without an answer is a separate field. */
const askWords = (ask: RuleAsk | undefined): string =>
  ask?.whom === undefined ? EFFECTS.ask : `Ask ${ask.whom === "admin" ? "an admin" : ask.whom} before`;

/** Tool kinds in words. */
const KIND_WORDS: readonly (readonly [RegExp, (value: string) => string])[] = [
  [/^capability:(.+)$/, (id) => `every tool of ${id}`],
  [/^scope:(.+)$/, (scope) => `every tool that needs the scope ${scope}`],
  [/^connection:(.+)$/, (provider) => `every tool that uses a ${provider} account`],
  [/^risk:(.+)$/, (risk) => `every ${risk} tool`],
  [/^reads:(.+)$/, (read) => `every tool that reads ${read} data`],
  [/^writes:external$/, () => "every tool that sends something out"],
  [/^writes:internal$/, () => "every tool that changes something here"],
  [/^writes:irreversible$/, () => "every tool that does what cannot be undone"],
  [/^uses:secrets$/, () => "every tool that makes a change with a stored credential"],
  [/^reaches:any_address$/, () => "every tool that reads an address of the model's choice"],
];

function toolWords(pattern: string): string {
  if (pattern === "*") return "every tool";
  for (const [kind, words] of KIND_WORDS) {
    const match = kind.exec(pattern);
    if (match) return words(match[1] ?? "");
  }
  return pattern.endsWith("*") ? `every tool named ${pattern}` : pattern;
}

function conditionWords(condition: RuleCondition): string {
  if ("arg" in condition) {
    const { arg, op, value } = condition;
    return [arg, OPERATORS[op], ...(value === undefined ? [] : [valueWords(value)])].join(" ");
  }
  if ("seen" in condition) return `the conversation has read ${condition.seen} data`;
  if ("expr" in condition) return `\`${condition.expr}\``;
  if ("time" in condition) return timeWords(condition.time);
  if ("often" in condition)
    return `it is ${condition.often.op === "above" ? "more than" : "one of at most"} ${countWords(condition.often)}`;
  return listWords(condition);
}

const LIST_WORDS: Readonly<Record<string, string>> = {
  path: "the call comes by",
  group: "the user is in",
  not_group: "the user is not in",
  connection: "the tool uses an account at",
  scope: "the tool needs the scope",
  user: "the user is",
};

function listWords(condition: Readonly<Record<string, string | readonly string[]>>): string {
  const [[kind = "", named = []] = []] = Object.entries(condition);
  return `${LIST_WORDS[kind]} ${orList([named].flat())}`;
}

const timeWords = ({ from, to, days, zone }: RuleTime): string =>
  `it is ${from} to ${to}${days ? ` on ${orList(days)}` : ""}${zone ? ` in ${zone}` : ""}`;

const valueWords = (value: RuleValue): string =>
  Array.isArray(value) ? orList(value.map((each) => JSON.stringify(each))) : JSON.stringify(value);

const orList = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
