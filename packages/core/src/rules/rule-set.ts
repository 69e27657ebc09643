/**
 * Rules compiled once, then evaluated for every call: indexed by tool, each condition a function.
 *
 * Default rules are weaker than saved ones: a saved rule that matches and names every label of a default replaces it,
 * whatever its effect. A rule without labels was not written with them in mind and overrides no default.
 */
import { DATA_LABELS, type DataLabel } from "../data-flow/data-flow.ts";
import {
  type CompiledExpression,
  type CompileExpression,
  compileCondition,
  forgetArguments,
  type Holds,
} from "./condition.ts";
import { DEFAULT_RULES } from "./default-rules.ts";
import { lostField, type Path, type ToolFields } from "./lost-fields.ts";
import type {
  AskedCall,
  CallCount,
  OftenCondition,
  Rule,
  RuleCall,
  RuleCondition,
  RuleCount,
  RuleDecision,
  RuleEffect,
} from "./rule.ts";
import { ruleSentence } from "./rule-sentence.ts";

export interface RuleSet {
  /** The strictest matching rule, if any. */
  decide(call: RuleCall): RuleDecision | undefined;
  /** The facts that this decision needs. */
  needs(call: AskedCall): RuleNeeds;
  /** The rules that count this call once it is made: all their other conditions hold. */
  counted(call: Omit<RuleCall, "counts">): readonly RuleCount[];
}

export interface RuleNeeds {
  readonly labels: boolean;
  readonly groups: boolean;
  readonly counts: boolean;
}

export interface RuleSetOptions {
  /** Rules that a saved one may replace. */
  readonly defaults?: readonly Rule[];
  /** The tools of this installation; see `lostField`. */
  readonly tools?: () => readonly ToolFields[];
}

interface CompiledRule {
  readonly rule: Rule;
  readonly effect: RuleEffect;
  readonly holds: readonly Holds[];
  /** The arguments that each of them speaks of. */
  readonly fields: readonly (readonly Path[])[];
  /** The condition on the number of calls, if any; then `holds` tells whether a call counts. */
  readonly count?: { readonly of: CallCount; readonly holds: Holds } | undefined;
  readonly why: string;
  /** The labels it names. */
  readonly labels: ReadonlySet<DataLabel>;
}

let decisions = 0;

const STRICTNESS: Readonly<Record<RuleEffect, number>> = { allow: 0, ask: 1, deny: 2 };
const MOST_KEPT = 10_000; // tools of one installation; beyond it the index is cleared

export function createRuleSet(
  rules: readonly Rule[],
  compileExpression: CompileExpression,
  { defaults = DEFAULT_RULES, tools = () => [] }: RuleSetOptions = {},
): RuleSet {
  // The strictest first: the first denial ends the search.
  const compiled = rules
    .map((rule) => compileRule(rule, compileExpression))
    .sort((a, b) => STRICTNESS[b.effect] - STRICTNESS[a.effect] || asksFirst(a.rule, b.rule));
  const compiledDefaults = defaults.map((rule) => compileRule(rule, compileExpression));
  const hasOwners = rules.some(({ owner }) => owner !== undefined);
  const byTool = new Map<string, RulesOfTool>();
  const rulesOf = (call: AskedCall): RulesOfTool => {
    const key = `${call.agentId} ${hasOwners ? call.user : ""} ${call.capabilityId} ${call.tool} ${call.risk} ${flowKey(call)}`;
    const kept = byTool.get(key);
    if (kept && kept.schema === call.schema) return kept;
    if (byTool.size >= MOST_KEPT) byTool.clear();
    const saved = compiled.filter(({ rule }) => isFor(rule, call)).map((each) => orBroken(each, call, tools));
    const ofDefaults = compiledDefaults.filter(({ rule }) => isFor(rule, call));
    const needs = {
      labels: ofDefaults.length > 0 || saved.some(speaksOfLabels),
      groups: saved.some(speaksOfGroups),
      counts: saved.some(({ count }) => count !== undefined),
    };
    const found = { schema: call.schema, saved, defaults: ofDefaults, needs };
    byTool.set(key, found);
    return found;
  };
  return {
    needs: (call) => rulesOf(call).needs,
    counted(call) {
      beginDecision();
      return rulesOf(call).saved.flatMap((each) => countOf(each, call));
    },
    decide(call) {
      beginDecision();
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

function beginDecision(): void {
  decisions += 1;
  forgetArguments();
}

/** Of rules that ask, the one that names a person counts, then one for everybody before a user's own; of several, the newest. */
const asksFirst = (a: Rule, b: Rule): number =>
  Number(b.ask?.whom !== undefined) - Number(a.ask?.whom !== undefined) ||
  Number(a.owner !== undefined) - Number(b.owner !== undefined) ||
  (a.id > b.id ? -1 : 1);

interface RulesOfTool {
  readonly schema: AskedCall["schema"];
  readonly saved: readonly CompiledRule[];
  readonly defaults: readonly CompiledRule[];
  readonly needs: RuleNeeds;
}

/** A rule over an argument that its tools no longer have denies the calls that its other conditions are for. */
function orBroken(compiled: CompiledRule, call: AskedCall, tools: () => readonly ToolFields[]): CompiledRule {
  const { rule, fields } = compiled;
  const lost = fields.map((paths) => lostField(paths, rule, call, tools));
  const field = lost.find((each) => each !== undefined);
  if (!field) return compiled;
  const holds = compiled.holds.filter((_, at) => lost[at] === undefined);
  const why = `the rule "${rule.name}" broke: ${call.tool} has no argument "${field.join(".")}" any more`;
  return { ...compiled, effect: "deny", holds, count: undefined, why };
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

const speaksOfGroups = ({ rule: { when } }: CompiledRule): boolean =>
  when.some(
    (condition) =>
      "group" in condition ||
      "not_group" in condition ||
      ("expr" in condition && /\bgroups\b/.test(condition.expr)),
  );

/** Whether a saved rule that matches this call names every label of the default. A user's own rule overrides nothing. */
const isReplaced = ({ labels }: CompiledRule, saved: readonly CompiledRule[], call: RuleCall): boolean =>
  saved.some(
    (each) =>
      each.rule.owner === undefined &&
      [...labels].every((label) => each.labels.has(label)) &&
      decisionOf(each, call) !== undefined,
  );

const NOBODY_COUNTED: ReadonlyMap<string, number> = new Map();

/** A failing rule counts nothing: it denies the call. */
function countOf({ rule, holds, count }: CompiledRule, call: Omit<RuleCall, "counts">): RuleCount[] {
  if (!count || isOver(rule, call)) return [];
  try {
    const isMeant = allHold(holds, { ...call, counts: NOBODY_COUNTED });
    return isMeant ? [{ ...count.of, ruleId: rule.id, subject: subjectOf(count.of, call) }] : [];
  } catch {
    return [];
  }
}

/** Calls without a session are counted together. */
function subjectOf({ each }: CallCount, { user, agentId, sessionId }: AskedCall): string {
  if (each === undefined) return "";
  return each === "user" ? user : each === "agent" ? agentId : (sessionId ?? "");
}

const isOver = ({ expiresAt }: Rule, { now }: Pick<RuleCall, "now">): boolean =>
  expiresAt !== undefined && expiresAt <= now;

const flowKey = ({
  flow: { reads, writes, usesSecrets, reachesAnyAddress },
  scopes,
  connections,
}: Pick<RuleCall, "flow" | "scopes" | "connections">): string =>
  `${listKey(reads)} ${listKey(writes)} ${usesSecrets} ${reachesAnyAddress} ${listKey(scopes)} ${listKey(connections)}`;

/** Most lists have at most one item, and joining them would cost more than all the rest. */
const listKey = (items: readonly string[]): string => (items.length < 2 ? (items[0] ?? "") : items.join());

/** A rule's decision on a call. A failing rule denies, whatever it was meant to do. */
function decisionOf(compiled: CompiledRule, call: RuleCall): RuleDecision | undefined {
  const { rule, effect, holds, count, why } = compiled;
  if (isOver(rule, call)) return undefined;
  try {
    const isMeant = allHold(holds, call) && (!count || count.holds(call));
    return isMeant ? { effect, rule, why } : undefined;
  } catch (error) {
    return { effect: "deny", rule, why: `the rule "${rule.name}" broke: ${reason(error)}` };
  }
}

function allHold(conditions: readonly Holds[], call: RuleCall): boolean {
  for (const holds of conditions) if (!holds(call, decisions)) return false;
  return true;
}

function compileRule(rule: Rule, compileExpression: CompileExpression): CompiledRule {
  const why = rule.words ?? ruleSentence(rule);
  const labels = labelsOfRule(rule);
  try {
    const effect = effectOf(rule);
    const often = countIn(rule);
    const compile = (condition: RuleCondition) =>
      compileCondition(condition, { id: rule.id, effect }, compileExpression);
    const conditions = rule.when.filter((condition) => !("often" in condition));
    const holds = conditions.map(compile);
    const fields = conditions.map((condition, at) => fieldsOf(condition, holds[at]));
    const count = often && { of: countFields(often), holds: compile({ often }) };
    return { rule, effect, holds, fields, count, why, labels };
  } catch (error) {
    // A rule that cannot be evaluated must not allow a call.
    return {
      rule,
      effect: "deny",
      holds: [],
      fields: [],
      labels,
      why: `the rule "${rule.name}" cannot be read: ${reason(error)}`,
    };
  }
}

const fieldsOf = (condition: RuleCondition, compiled: CompiledExpression | undefined): readonly Path[] =>
  "arg" in condition ? [condition.arg.split(".")] : (compiled?.fields ?? []).map(({ path }) => path);

/** Its effect when it holds. A user's own rule that would allow bypassed the check on saving. */
function effectOf({ effect, limit, owner }: Rule): RuleEffect {
  if (effect === "allow" && owner !== undefined) throw new Error("a user's own rule never allows");
  return effect === "limit" ? (limit?.over ?? "deny") : effect;
}

function countIn({ effect, limit, when }: Rule): OftenCondition | undefined {
  const often = when.flatMap((condition) => ("often" in condition ? [condition.often] : []));
  if (effect !== "limit" && often.length < 2) return often[0];
  if (limit === undefined || often.length > 0)
    throw new Error("it counts in more than one way, or not at all");
  return { ...limit, op: "above" };
}

const countFields = ({ calls, per, each }: OftenCondition): CallCount => ({ calls, per, each });

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

/** Whose calls a rule is for: those of everyone, of one agent, of one user. */
const isFor = ({ agentId, owner, tools }: Rule, call: AskedCall): boolean =>
  (agentId === undefined || agentId === call.agentId) &&
  (owner === undefined || owner === call.user) &&
  tools.some((pattern) => names(pattern, call));

type NamedCall = Pick<
  RuleCall,
  "tool" | "ownName" | "capabilityId" | "risk" | "flow" | "scopes" | "connections"
>;

/** Patterns of the form `kind:value`. */
const TOOL_KINDS: Readonly<Record<string, (value: string, call: NamedCall) => boolean>> = {
  capability: (value, { capabilityId }) => value === capabilityId,
  risk: (value, { risk }) => value === risk,
  scope: (value, { scopes }) => scopes.includes(value),
  connection: (value, { connections }) => connections.includes(value),
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
