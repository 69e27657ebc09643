/**
 * Rules compiled once, then evaluated for every call: indexed by tool, each condition a function.
 *
 * Default rules are weaker than saved ones: a saved rule that matches and names every label of a default takes its place,
 * whatever its effect. One that does not speak of labels was not written with them in mind and lifts no default.
 */
import { DATA_LABELS, type DataLabel } from "../data-flow/data-flow.ts";
import { type CompileExpression, compileCondition, type Holds } from "./condition.ts";
import { DEFAULT_RULES } from "./default-rules.ts";
import type { Rule, RuleCall, RuleCondition, RuleDecision, RuleEffect } from "./rule.ts";
import { ruleSentence } from "./rule-sentence.ts";

export interface RuleSet {
  /** The strictest rule that matches, or nothing. */
  decide(call: RuleCall): RuleDecision | undefined;
  /** Whether the decision on this call depends on what the session has read. */
  usesLabels(call: Omit<RuleCall, "seen">): boolean;
}

export interface RuleSetOptions {
  /** Rules that a saved one may replace. */
  readonly defaults?: readonly Rule[];
}

interface CompiledRule {
  readonly rule: Rule;
  readonly effect: RuleEffect;
  readonly holds: readonly Holds[];
  readonly why: string;
  /** The labels it speaks of. */
  readonly labels: ReadonlySet<DataLabel>;
}

const STRICTNESS: Readonly<Record<RuleEffect, number>> = { allow: 0, ask: 1, deny: 2 };
const MOST_KEPT = 10_000; // tools of one installation; beyond it the index is cleared

export function createRuleSet(
  rules: readonly Rule[],
  compileExpression: CompileExpression,
  { defaults = DEFAULT_RULES }: RuleSetOptions = {},
): RuleSet {
  // The strictest first: the first denial ends the search.
  const compiled = rules
    .map((rule) => compileRule(rule, compileExpression))
    .sort((a, b) => STRICTNESS[b.effect] - STRICTNESS[a.effect] || asksFirst(a.rule, b.rule));
  const compiledDefaults = defaults.map((rule) => compileRule(rule, compileExpression));
  const hasOwners = rules.some(({ owner }) => owner !== undefined);
  const byTool = new Map<string, RulesOfTool>();
  const rulesOf = (call: Omit<RuleCall, "seen">): RulesOfTool => {
    const key = `${call.agentId} ${hasOwners ? call.user : ""} ${call.capabilityId} ${call.tool} ${call.risk} ${flowKey(call)}`;
    const kept = byTool.get(key);
    if (kept) return kept;
    if (byTool.size >= MOST_KEPT) byTool.clear();
    const saved = compiled.filter(({ rule }) => isFor(rule, call));
    const ofDefaults = compiledDefaults.filter(({ rule }) => isFor(rule, call));
    const usesLabels = ofDefaults.length > 0 || saved.some(speaksOfLabels);
    const found = { saved, defaults: ofDefaults, usesLabels };
    byTool.set(key, found);
    return found;
  };
  return {
    usesLabels: (call) => rulesOf(call).usesLabels,
    decide(call) {
      const { saved, defaults: weaker } = rulesOf(call);
      const matching = call.seen.length > 0 && !call.isArranged ? weaker : [];
      const strictest = strictestOf(saved, call);
      if (strictest?.effect === "deny" || matching.length === 0) return strictest;
      return strictestOf(
        matching.filter((each) => !isReplaced(each, saved, call)),
        call,
        strictest,
      );
    },
  };
}

/** Of rules that ask, the one that names a person counts; of several, the newest. */
const asksFirst = (a: Rule, b: Rule): number =>
  Number(b.ask?.whom !== undefined) - Number(a.ask?.whom !== undefined) || (a.id > b.id ? -1 : 1);

interface RulesOfTool {
  readonly saved: readonly CompiledRule[];
  readonly defaults: readonly CompiledRule[];
  readonly usesLabels: boolean;
}

function strictestOf(
  rules: readonly CompiledRule[],
  call: RuleCall,
  before?: RuleDecision,
): RuleDecision | undefined {
  let strictest = before;
  for (const each of rules) {
    if (strictest && STRICTNESS[each.effect] <= STRICTNESS[strictest.effect] && !mayBreak(each)) continue;
    const decision = decisionOf(each, call);
    if (decision && (!strictest || STRICTNESS[decision.effect] > STRICTNESS[strictest.effect]))
      strictest = decision;
    if (strictest?.effect === "deny") return strictest;
  }
  return strictest;
}

/** Only an expression can break, and a broken rule denies, so it is evaluated even where its effect would not count. */
const mayBreak = ({ rule }: CompiledRule): boolean => rule.when.some((condition) => "expr" in condition);

/** An expression may use the labels without naming one. */
const speaksOfLabels = ({ labels, rule: { when } }: CompiledRule): boolean =>
  labels.size > 0 || when.some((condition) => "expr" in condition && /\bseen\b/.test(condition.expr));

/** Whether a saved rule that matches this call speaks of every label of the default. */
const isReplaced = ({ labels }: CompiledRule, saved: readonly CompiledRule[], call: RuleCall): boolean =>
  saved.some(
    (each) => [...labels].every((label) => each.labels.has(label)) && decisionOf(each, call) !== undefined,
  );

const flowKey = ({
  flow: { reads, writes, usesSecrets, reachesAnyAddress },
}: Pick<RuleCall, "flow">): string => `${reads} ${writes} ${usesSecrets} ${reachesAnyAddress}`;

/** A rule's decision on a call. A failing rule denies, whatever it was meant to do. */
function decisionOf({ rule, effect, holds, why }: CompiledRule, call: RuleCall): RuleDecision | undefined {
  if (rule.expiresAt && rule.expiresAt <= call.now) return undefined;
  try {
    return holds.every((each) => each(call)) ? { effect, rule, why } : undefined;
  } catch (error) {
    return { effect: "deny", rule, why: `the rule "${rule.name}" broke: ${reason(error)}` };
  }
}

function compileRule(rule: Rule, compileExpression: CompileExpression): CompiledRule {
  const why = rule.words ?? ruleSentence(rule);
  const labels = labelsOfRule(rule);
  try {
    const holds = rule.when.map((condition) => compileCondition(condition, rule.effect, compileExpression));
    return { rule, effect: rule.effect, holds, why, labels };
  } catch (error) {
    // A rule that cannot be evaluated must not allow a call.
    return {
      rule,
      effect: "deny",
      holds: [],
      labels,
      why: `the rule "${rule.name}" cannot be read: ${reason(error)}`,
    };
  }
}

/** The labels a rule names, in a condition of its own or in an expression over `seen`. */
const labelsOfRule = ({ when }: Rule): ReadonlySet<DataLabel> =>
  new Set(DATA_LABELS.filter((label) => when.some((condition) => namesLabel(condition, label))));

const namesLabel = (condition: RuleCondition, label: DataLabel): boolean =>
  "seen" in condition
    ? condition.seen === label
    : "expr" in condition &&
      /\bseen\b/.test(condition.expr) &&
      new RegExp(`["']${label}["']`).test(condition.expr);

const reason = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 200);

const isFor = ({ agentId, owner, tools }: Rule, call: Omit<RuleCall, "seen">): boolean =>
  (agentId === undefined || agentId === call.agentId) &&
  (owner === undefined || owner === call.user) &&
  tools.some((pattern) => names(pattern, call));

type NamedCall = Pick<RuleCall, "tool" | "ownName" | "capabilityId" | "risk" | "flow">;

/** Patterns of the form `kind:value`. */
const TOOL_KINDS: Readonly<Record<string, (value: string, call: NamedCall) => boolean>> = {
  capability: (value, { capabilityId }) => value === capabilityId,
  risk: (value, { risk }) => value === risk,
  reads: (value, { flow }) => flow.reads.some((each) => each === value),
  writes: (value, { flow }) => flow.writes.some((each) => each === value),
  /** A call that changes something with a stored credential. */
  uses: (value, { flow }) => value === "secrets" && flow.usesSecrets && flow.writes.length > 0,
  reaches: (value, { flow }) => value === "any_address" && flow.reachesAnyAddress,
};

/** Whether a rule's pattern names the tool of this call. */
export function names(pattern: string, call: NamedCall): boolean {
  const [kind = "", value] = splitOnce(pattern);
  const isKind = value !== undefined && Object.hasOwn(TOOL_KINDS, kind) ? TOOL_KINDS[kind] : undefined;
  if (isKind && value !== undefined) return isKind(value, call);
  const { tool, ownName } = call;
  if (!pattern.endsWith("*")) return pattern === tool || pattern === ownName;
  const start = pattern.slice(0, -1);
  return tool.startsWith(start) || ownName.startsWith(start);
}

function splitOnce(pattern: string): [string, string | undefined] {
  const at = pattern.indexOf(":");
  return at < 0 ? [pattern, undefined] : [pattern.slice(0, at), pattern.slice(at + 1)];
}
