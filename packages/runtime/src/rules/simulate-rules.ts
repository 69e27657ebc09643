/** Evaluates a rule set on past calls: which would newly be allowed, require approval or be denied. Nothing runs. */
import type { RuntimeAgent } from "@capstan/core";
import type { CallPath, Rule, RuleDecision, RuleEffect } from "@capstan/core/internal";
import type { Composer } from "../agents/composer.ts";
import type { Database } from "../db/database.ts";
import type { AskRules } from "../gate/ask-rules.ts";
import type { Gate, Judgement } from "../gate/gate.ts";
import type { SessionLabels } from "../labels/session-labels.ts";
import { isDeferred } from "../runs/context/deferred-tools.ts";
import { type RunBeginning, runPath } from "../runs/context/run-path.ts";
import { trialRules } from "./decide-by.ts";
import { type RecordedCall, type RecordedCallQuery, recordedCalls } from "./recorded-calls.ts";
import type { RuleStore } from "./rule-store.ts";

export interface Explained {
  readonly effect: RuleEffect;
  /** The rule that decided; absent when the tool's own policy did. */
  readonly rule?: RuleDecision["rule"] | undefined;
  readonly why: string;
}

export interface SimulatedCall extends RecordedCall {
  /** The call as a person edited and approved it. */
  readonly isEdited: boolean;
  readonly before: Explained;
  readonly after: Explained;
}

export interface Simulation {
  readonly calls: number;
  readonly truncated: boolean;
  readonly changed: readonly SimulatedCall[];
}

export interface SimulationParts {
  readonly database: Pick<Database, "orm" | "pool" | "organisation">;
  readonly gate: Pick<Gate, "check">;
  readonly composer: Pick<Composer, "showFor">;
  readonly rules: Pick<RuleStore, "list" | "compile">;
}

export async function simulateRules(
  parts: SimulationParts,
  rules: readonly Rule[],
  query: RecordedCallQuery,
): Promise<Simulation> {
  const found = await recordedCalls(parts.database, { ...query, limit: query.limit + 1 });
  const calls = found.slice(0, query.limit);
  const trial = (set: readonly Rule[]) => trialRules(parts.rules.compile(set), parts.database);
  const [inForce, tried] = [trial(await parts.rules.list()), trial(rules)];
  const changed: SimulatedCall[] = [];
  // Oldest first: a rule that counts depends on earlier calls.
  for (const call of calls.toReversed()) {
    for (const made of decidedTimes(call)) {
      const before = await explainCall(parts, made, inForce[made.counting]);
      const after = await explainCall(parts, made, tried[made.counting]);
      if (before.effect === after.effect) continue;
      changed.push({ ...made, before, after });
      break; // what came of it would not have happened
    }
  }
  return { calls: calls.length, truncated: found.length > calls.length, changed: changed.toReversed() };
}

/** A call whose arguments a person edited was decided twice, and made once. */
function decidedTimes(call: RecordedCall) {
  const original = { ...call, isEdited: false };
  if (call.edited === undefined) return [{ ...original, counting: "made" as const }];
  const edited = { ...call, input: call.edited, isEdited: true, approved: true };
  return [
    { ...original, counting: "asked" as const },
    { ...edited, counting: "made" as const },
  ];
}

export interface ExplainableCall {
  readonly agentId: string;
  readonly user: string;
  readonly tool: string;
  readonly input: unknown;
  readonly sessionId?: string | undefined;
  /** What was read before the call; default: what its session has read by now. */
  readonly seen?: SessionLabels | undefined;
  /** How it reaches the gate; default: the path of a run that began so. */
  readonly path?: CallPath | undefined;
  readonly began?: RunBeginning | undefined;
  /** When it was made; default: now. */
  readonly at?: Date | undefined;
  /** A person approved it. */
  readonly approved?: boolean;
}

/** The gate's decision about a call and its rule, with these rules or those in effect. */
export async function explainCall(
  { gate, composer }: Pick<SimulationParts, "gate" | "composer">,
  { agentId, user, tool, input, sessionId, seen, path, began = {}, at, approved = false }: ExplainableCall,
  rules?: AskRules,
): Promise<Explained> {
  const agent = await composer.showFor(agentId, user);
  if (!agent.ok) return { effect: "deny", why: agent.failure.message };
  const judged = await gate.check(
    {
      path: path ?? recordedPath(agent.value, tool, began),
      at,
      agent: agent.value,
      tool,
      input,
      user: { email: user, scopes: agent.value.scopes },
      sessionId,
      seen: seen && (async () => seen),
      approved,
      callId: "check",
      signal: new AbortController().signal,
    },
    rules,
  );
  return explained(judged);
}

const recordedPath = (agent: RuntimeAgent, tool: string, began: RunBeginning): CallPath =>
  runPath(tool, began, { isHarness: agent.spec.harness !== "native", defers: isDeferred(agent) });

function explained(judged: Judgement): Explained {
  const rule = judged.ruled?.rule;
  if (judged.kind === "refused") return { effect: "deny", rule, why: judged.failure.message };
  if (judged.kind === "approval") return { effect: "ask", rule, why: judged.why };
  return { effect: "allow", rule, why: judged.ruled?.why ?? "The tool's own policy allows it." };
}
