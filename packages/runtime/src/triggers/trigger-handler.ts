/**
 * A trigger becomes a session of its user with the agent bound to its capability. The trigger's id is also the session's
 * and its message's id, so that handling it again finds the same run and repeats nothing.
 */
import type { CapabilityRegistry } from "@capstan/core";
import { AGENT_DEFAULTS, type Trigger } from "@capstan/core/internal";
import type { AgentRecord } from "../agents/agent-record.ts";
import type { AgentStore } from "../agents/agent-store.ts";
import type { SessionLabels } from "../labels/session-labels.ts";
import type { RunRecord } from "../runs/history/session-history.ts";
import type { Runs } from "../runs/runs.ts";
import type { SessionRecord, SessionStore } from "../sessions/session-store.ts";
import { type Schedule, type ScheduleStore, scheduleOf } from "./schedules.ts";
import type { HandledTrigger, HandleOutcome } from "./trigger-manager.ts";

const TITLE_CHARS = 80;

export interface TriggerParts {
  readonly agents: AgentStore;
  readonly sessions: SessionStore;
  readonly registry: CapabilityRegistry;
  readonly runs: Runs;
  readonly schedules: Pick<ScheduleStore, "list">;
}

export function triggerHandler(parts: TriggerParts): (handled: HandledTrigger) => Promise<HandleOutcome> {
  return async ({ trigger, capability }) => {
    const schedule = scheduleOf(trigger, capability, await parts.schedules.list());
    const bound = await boundAgent(parts, capability, trigger.user, schedule?.agentId);
    if (bound === undefined) return { ok: false, reason: whyUnbound(capability, schedule) };
    const message = schedule && scheduledMessage(schedule);
    const title = message?.slice(0, TITLE_CHARS) ?? `${trigger.type} from ${capability}`;
    const session = await parts.sessions.create({
      id: trigger.id,
      agentId: bound.id,
      ...(bound.triggersFollow && { follows: { agentId: bound.id, ...bound.triggersFollow } }),
      owner: trigger.user,
      title,
      metadata: { trigger: { capability, type: trigger.type } },
      labels: schedule ? {} : untrusted(trigger, capability),
    });
    if (!isBegunBy(session, trigger, capability))
      return {
        ok: false,
        reason: `the id ${trigger.id} is another conversation's; a new trigger needs a new one`,
      };
    const content = message ?? eventMessage(trigger, capability);
    const sent = await parts.runs.send(
      session.id,
      { id: `trigger-${trigger.id}`, content },
      { origin: "trigger" },
    );
    if (!sent.ok) return { ok: false, reason: sent.failure.message };
    return outcomeOf(
      await waitUntilSettled(parts.runs, session.id, sent.value.runId),
      parts.runs,
      session.id,
    );
  };
}

const whyUnbound = (capability: string, schedule: Schedule | undefined): string =>
  schedule?.agentId
    ? `the agent chosen for this schedule is gone or no longer has the capability "${capability}"`
    : `no capability "${capability}" is registered`;

/** A service chooses the id, and could name a conversation of its user or of anybody, with whatever agent it has. */
function isBegunBy(
  { owner, metadata }: Pick<SessionRecord, "owner" | "metadata">,
  { user }: Trigger,
  capability: string,
): boolean {
  const { trigger } = metadata as { readonly trigger?: { readonly capability?: unknown } };
  return owner === user && trigger?.capability === capability;
}

/** A service's payload is untrusted, such as an arrived mail; a schedule's was written by its owner. */
const untrusted = ({ type, created_at: at }: Trigger, capabilityId: string): SessionLabels => ({
  untrusted: { tool: `the trigger ${type}`, capabilityId, at },
});

/** What its owner wrote for the agent to do. */
function scheduledMessage({ payload: { message } }: Schedule): string | undefined {
  return typeof message === "string" && message.trim() !== "" ? message : undefined;
}

/** The chosen agent, or an agent of the trigger's user that lists the capability, otherwise a new one with the scopes it requires; limited by the user's own. */
async function boundAgent(
  { agents, registry }: TriggerParts,
  capability: string,
  owner: string,
  chosen: string | undefined,
): Promise<AgentRecord | undefined> {
  const listing = await agents.using(capability, { owner });
  const bound = chosen === undefined ? listing[0] : listing.find(({ id }) => id === chosen);
  if (chosen !== undefined && !bound) return undefined;
  if (bound) {
    const agent = await agents.get(bound.id);
    return agent.ok ? agent.value : undefined;
  }
  const found = registry.get(capability);
  if (!found.ok) return undefined;
  const scopes = new Set([
    ...found.value.requiredScopes,
    ...found.value.tools.flatMap((tool) => tool.scopes),
  ]);
  return agents.create(owner, {
    ...AGENT_DEFAULTS,
    name: `${found.value.name} (triggers)`,
    description: `Handles triggers of ${capability}.`,
    systemPrompt: "You handle events of a background service. Use its tools to do what the event asks for.",
    capabilities: [{ id: capability }],
    grantedScopes: [...scopes],
  });
}

const eventMessage = ({ type, payload, created_at }: Trigger, capability: string): string =>
  `An event of ${capability} arrived.\nType: ${type}\nAt: ${created_at}\nPayload: ${JSON.stringify(payload ?? {})}`;

/** Follows the session until the run has ended or waits for a person; reads the row, which is the truth. */
async function waitUntilSettled(
  runs: Runs,
  sessionId: string,
  runId: string,
): Promise<RunRecord | undefined> {
  const stop = new AbortController();
  try {
    for await (const { runId: of, json } of runs.events(sessionId, 0, stop.signal)) {
      const ended = of === runId && json.some((text) => /^\{"type":"RUN_(FINISHED|ERROR)"/.test(text));
      if (ended) break;
    }
  } finally {
    stop.abort();
  }
  const run = await runs.run(runId);
  return run.ok ? run.value : undefined;
}

async function outcomeOf(run: RunRecord | undefined, runs: Runs, sessionId: string): Promise<HandleOutcome> {
  if (!run) return { ok: false, reason: "the run is gone" };
  if (run.outcome?.type === "failed") return { ok: false, reason: run.outcome.failure.message };
  const { items } = await runs.messages(sessionId, { limit: 500 });
  const last = items.findLast(({ role }) => role === "assistant");
  const answer = last?.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  return { ok: true, sessionId, ...(answer && { answer }) };
}
