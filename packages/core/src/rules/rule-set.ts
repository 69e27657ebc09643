/** Rules compiled once, then evaluated for every call: indexed by tool, each condition a function. */
import { type CompileExpression, compileCondition, type Holds } from "./condition.ts";
import type { Rule, RuleCall, RuleDecision, RuleEffect } from "./rule.ts";
import { ruleSentence } from "./rule-sentence.ts";

export interface RuleSet {
  /** The strictest rule that matches, or nothing. */
  decide(call: RuleCall): RuleDecision | undefined;
}

interface CompiledRule {
  readonly rule: Rule;
  readonly effect: RuleEffect;
  readonly holds: readonly Holds[];
  readonly why: string;
}

const STRICTNESS: Readonly<Record<RuleEffect, number>> = { allow: 0, ask: 1, deny: 2 };
const MOST_KEPT = 10_000; // tools of one installation; beyond it the index is cleared

export function createRuleSet(rules: readonly Rule[], compileExpression: CompileExpression): RuleSet {
  // The strictest first: the first denial ends the search.
  const compiled = rules
    .map((rule) => compileRule(rule, compileExpression))
    .sort((a, b) => STRICTNESS[b.effect] - STRICTNESS[a.effect]);
  const byTool = new Map<string, readonly CompiledRule[]>();
  const rulesOf = (call: RuleCall): readonly CompiledRule[] => {
    const key = `${call.agentId} ${call.capabilityId} ${call.tool} ${call.risk}`;
    const kept = byTool.get(key);
    if (kept) return kept;
    if (byTool.size >= MOST_KEPT) byTool.clear();
    const found = compiled.filter(({ rule }) => isFor(rule, call));
    byTool.set(key, found);
    return found;
  };
  return {
    decide(call) {
      let strictest: RuleDecision | undefined;
      for (const each of rulesOf(call)) {
        const decision = decisionOf(each, call);
        if (decision && (!strictest || STRICTNESS[decision.effect] > STRICTNESS[strictest.effect]))
          strictest = decision;
        if (strictest?.effect === "deny") return strictest;
      }
      return strictest;
    },
  };
}

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
  try {
    const holds = rule.when.map((condition) => compileCondition(condition, rule.effect, compileExpression));
    return { rule, effect: rule.effect, holds, why };
  } catch (error) {
    // A rule that cannot be evaluated must not allow a call.
    return {
      rule,
      effect: "deny",
      holds: [],
      why: `the rule "${rule.name}" cannot be read: ${reason(error)}`,
    };
  }
}

const reason = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 200);

const isFor = ({ agentId, tools }: Rule, call: RuleCall): boolean =>
  (agentId === undefined || agentId === call.agentId) && tools.some((pattern) => names(pattern, call));

/** Whether a rule's pattern names the tool of this call. */
export function names(
  pattern: string,
  { tool, ownName, capabilityId, risk }: Pick<RuleCall, "tool" | "ownName" | "capabilityId" | "risk">,
): boolean {
  if (pattern.startsWith("capability:")) return pattern.slice("capability:".length) === capabilityId;
  if (pattern.startsWith("risk:")) return pattern.slice("risk:".length) === risk;
  if (!pattern.endsWith("*")) return pattern === tool || pattern === ownName;
  const start = pattern.slice(0, -1);
  return tool.startsWith(start) || ownName.startsWith(start);
}
