/** Creates a monitor; refused if it could not score a run or if its cost is unknown. */
import type { monitorWire } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import { type Scorer, type ScorerSpec, scorerName } from "@capstan/core/internal";
import type {
  AgentSharings,
  AgentStore,
  AuditLog,
  Models,
  MonitorRecord,
  MonitorStore,
} from "@capstan/runtime";
import type { z } from "@hono/zod-openapi";
import { mayChange, seesAll } from "../auth/ownership.ts";
import type { Caller } from "../http/caller.ts";

export interface MonitorParts {
  readonly monitors: MonitorStore;
  readonly agents: AgentStore;
  readonly sharing: AgentSharings;
  readonly models: Pick<Models, "check" | "resolve">;
  readonly scorers: readonly Scorer[];
  readonly audit: AuditLog;
  /** Refuses an address that no delivery could reach. */
  readonly fetch: { readonly check: (url: string) => Promise<Result<unknown>> };
  /** Looks for runs now. */
  readonly wake: () => void;
}

export async function createMonitor(
  parts: MonitorParts,
  caller: Caller,
  body: z.output<typeof monitorWire.MonitorCreate>,
): Promise<Result<MonitorRecord>> {
  const agent = await changeableAgent(parts, caller, body.agent_id);
  if (!agent.ok) return agent;
  const scorers = body.scorers as readonly ScorerSpec[];
  const usable = await checkScorers(parts, scorers, body.budget_usd);
  if (!usable.ok) return usable;
  const reachable = await checkWebhook(parts, body.webhook);
  if (!reachable.ok) return reachable;
  const made = await parts.monitors.create({
    owner: caller.email,
    everybody: seesAll(caller),
    name: body.name,
    agentId: body.agent_id,
    scorers,
    share: body.share,
    budgetUsd: body.budget_usd,
    scrub: body.scrub,
    everyRuns: body.every_runs,
    drop: body.drop,
    webhookUrl: body.webhook?.url ?? null,
  });
  parts.wake();
  const details = { agent: body.agent_id, share: body.share, everybody: made.everybody };
  await parts.audit.add({ actor: caller.email, action: "monitor.created", subject: made.id, details });
  return ok(made);
}

/** Its runs belong to other people: anyone who may change the agent may also measure it. */
async function changeableAgent(
  { agents, sharing }: MonitorParts,
  caller: Caller,
  id: string,
): Promise<Result<unknown>> {
  const found = await agents.get(id);
  if (!found.ok) return found;
  return (await mayChange(sharing, id, caller)) ? ok(true) : fail("not_found", { what: "agent", id });
}

export async function checkWebhook(
  { fetch }: Pick<MonitorParts, "fetch">,
  webhook: { readonly url: string } | null | undefined,
): Promise<Result<unknown>> {
  return webhook ? fetch.check(webhook.url) : ok(true);
}

async function checkScorers(
  parts: MonitorParts,
  specs: readonly ScorerSpec[],
  budgetUsd: number | null,
): Promise<Result<true>> {
  const names = specs.map(scorerName);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    return fail("input_invalid", { where: `scorers: two are named "${twice}"; give one another name` });
  for (const spec of specs) {
    const fault = needsMore(spec);
    if (fault !== undefined) return fail("input_invalid", { where: `scorers: ${scorerName(spec)} ${fault}` });
    const usable = await checkScorer(parts, spec, budgetUsd);
    if (!usable.ok) return usable;
  }
  return ok(true);
}

/** A live run has no expected answer and cannot wait for human review. */
function needsMore(spec: ScorerSpec): string | undefined {
  if (spec.type === "human") return "asks people; experiments have a queue for that";
  if (spec.type === "exact" && spec.value === undefined)
    return "needs a value: a live run has no expected one";
  if (spec.type === "contains" && spec.all === undefined && spec.none === undefined)
    return "needs all or none: a live run has no expected text";
  return undefined;
}

async function checkScorer(
  { models, scorers }: MonitorParts,
  spec: ScorerSpec,
  budgetUsd: number | null,
): Promise<Result<true>> {
  if (spec.type === "code" && !scorers.some(({ name }) => name === spec.scorer))
    return fail("scorer_unknown", { scorer: spec.scorer, known: scorers.map(({ name }) => name) });
  if (spec.type !== "judge") return ok(true);
  const known = await models.check(spec.model);
  if (!known.ok || budgetUsd === null) return known;
  const model = await models.resolve(spec.model);
  if (!model.ok) return model;
  const { prices, isFree, name } = model.value;
  return prices || isFree ? ok(true) : fail("budget_unpriced", { budget: "budget_usd", model: name });
}
