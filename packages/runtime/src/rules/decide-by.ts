/** A rule set's decision on a call. Facts are only looked up if a rule for this tool depends on them. */
import type { AskedCall, RuleCall, RuleDecision, RuleSet } from "@capstan/core/internal";
import type { AskRules, RuleFacts, Ruling } from "../gate/ask-rules.ts";
import { labelNames, type SessionLabels } from "../labels/session-labels.ts";
import type { PeopleDatabase } from "../users/known-person.ts";
import { groupsIn } from "./groups.ts";
import { type RuleCounts, trialCounts } from "./rule-counts.ts";

export interface FactSources {
  readonly groupsOf: (email: string) => Promise<readonly string[]>;
  readonly counts: Pick<RuleCounts, "read">;
}

const NONE: Ruling = { decision: undefined, counts: [] };
const NO_COUNTS: RuleCall["counts"] = new Map();

export async function decideBy(
  set: RuleSet,
  call: AskedCall,
  { seen, isPast = false }: RuleFacts,
  sources: FactSources,
): Promise<Ruling> {
  const needs = set.needs(call);
  const labels = needs.labels ? await seen() : {};
  const groups = needs.groups ? await sources.groupsOf(call.user) : [];
  const known = { ...call, seen: labelNames(labels), groups };
  const counted = needs.counts ? set.counted(known) : [];
  const counts = counted.length > 0 ? await sources.counts.read(counted, call.now, isPast) : NO_COUNTS;
  const decision = set.decide({ ...known, counts });
  if (!decision && counted.length === 0) return NONE;
  return {
    decision: decision && withFacts(decision, labels, counts),
    counts: counted.map((count) => ({ ...count, made: counts.get(count.ruleId) ?? 0 })),
  };
}

/** Rules on trial start without earlier calls; what they do not deny counts as made, unless it was only asked about. */
export function trialRules(
  set: RuleSet,
  database: PeopleDatabase,
): { readonly made: AskRules; readonly asked: AskRules } {
  const groupsOf = (email: string) => groupsIn(database, email);
  const counts = trialCounts();
  const asked: AskRules = (call, facts) => decideBy(set, call, facts, { groupsOf, counts });
  const made: AskRules = async (call, facts) => {
    const ruling = await asked(call, facts);
    if (ruling.decision?.effect !== "deny") await counts.take(ruling.counts, call.now);
    return ruling;
  };
  return { made, asked };
}

/** Explains which call brought in the label, and how many calls there were. */
function withFacts(
  decision: RuleDecision,
  labels: SessionLabels,
  counts: ReadonlyMap<string, number>,
): RuleDecision {
  const named = decision.rule.when.flatMap((condition) => ("seen" in condition ? [condition.seen] : []));
  const origins = named.flatMap((label) => {
    const origin = labels[label];
    return origin ? [`${label} by ${origin.tool}`] : [];
  });
  const made = counts.get(decision.rule.id);
  const facts = [...origins, ...(made === undefined ? [] : [`${made} before this one`])];
  return facts.length === 0 ? decision : { ...decision, why: `${decision.why} (${facts.join(", ")})` };
}
