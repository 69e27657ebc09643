/** Converts replays between the API and the code. */
import type { Replay, ReplayComparison, ReplayCreate, ReplayedRun } from "@capstan/client/wire";
import type { CapabilityRef } from "@capstan/core";
import { roundedUsd } from "@capstan/core/internal";
import type {
  ConfigSeal,
  ReplayChange,
  ReplayItem,
  ReplayRecord,
  RunSelection,
  StoredMessage,
} from "@capstan/runtime";
import type { z } from "@hono/zod-openapi";
import { draftOf } from "../rules/rule-dto.ts";

type Created = z.output<typeof ReplayCreate>;

export function selectionOf({
  runs,
  sessions,
  query = {},
}: Pick<Created, "runs" | "sessions" | "query">): RunSelection {
  if (runs) return { runs };
  if (sessions) return { sessions };
  const { agent_id: agentId, since, until, ...rest } = query;
  return {
    query: {
      ...rest,
      agentId,
      since: since ? new Date(since) : undefined,
      until: until ? new Date(until) : undefined,
    },
  };
}

/** Secrets in configs are sealed before anything is stored. */
export function changeOf(
  {
    revision,
    model,
    capabilities,
    system_prompt: systemPrompt,
    rules,
  }: Omit<Created["with"], "revision"> & {
    readonly revision?: number | undefined;
  },
  seal: ConfigSeal["seal"],
): ReplayChange {
  const refs = capabilities?.map((entry): CapabilityRef => {
    if (typeof entry === "string") return { id: entry };
    const { id, config, prefix, version } = entry;
    return {
      id,
      ...(config !== undefined && { config: seal(id, config) }),
      ...(prefix !== undefined && { prefix }),
      ...(version !== undefined && { version }),
    };
  });
  return {
    ...(revision !== undefined && { revision }),
    ...(model !== undefined && { model }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(refs && { capabilities: refs }),
    ...(rules && { rules: rules.map(draftOf) }),
  };
}

export function replayDto(replay: ReplayRecord): Replay {
  const { items, verdicts, change } = replay;
  const { capabilities, rules, systemPrompt, revision, model } = change;
  const total = Object.values(items).reduce((sum, count) => sum + count, 0);
  const none = { queued: 0, running: 0, done: 0, failed: 0, skipped: 0, cancelled: 0 };
  return {
    id: replay.id,
    status: replay.status,
    with: {
      ...(revision !== undefined && { revision }),
      ...(model !== undefined && { model }),
      ...(systemPrompt !== undefined && { system_prompt: systemPrompt }),
      ...(capabilities && {
        capabilities: capabilities.map(({ id, version }) => ({
          id,
          ...(version !== undefined && { version }),
        })),
      }),
      ...(rules && { rules: rules.length }),
    },
    live_reads: replay.liveReads,
    concurrency: replay.concurrency,
    budget_usd: replay.budgetUsd,
    progress: { total, ...none, ...items },
    verdicts: { same: 0, changed: 0, diverged: 0, ...verdicts },
    tokens: replay.tokens,
    cost_usd: roundedUsd(replay.costUsd),
    created_by: replay.owner,
    created_at: replay.createdAt.toISOString(),
    ended_at: replay.endedAt?.toISOString() ?? null,
  };
}

export function comparisonDto({
  runId,
  sessionId,
  status,
  verdict,
  comparison,
  failure,
}: ReplayItem): ReplayComparison {
  const { code, message, nextStep } = failure ?? {};
  return {
    run_id: runId,
    session_id: sessionId,
    status,
    verdict,
    calls: (comparison?.calls ?? []).map(comparedCallDto),
    gate: (comparison?.gate ?? []).map(({ before = null, ...change }) => ({ ...change, before })),
    answer: comparison && answerOf(comparison.answer),
    outcome: comparison?.outcome ?? null,
    tokens: comparison?.tokens ?? null,
    cost_usd: comparison ? costsOf(comparison.costUsd) : null,
    model_ms: comparison?.modelMs ?? null,
    diverged: comparison?.diverged ?? null,
    not_as_recorded: notAsRecordedIn(comparison),
    failure: code === undefined ? null : { code, message: message ?? "", nextStep: nextStep ?? "" },
  };
}

export const comparedCallDto = (
  call: NonNullable<ReplayItem["comparison"]>["calls"][number],
): ReplayComparison["calls"][number] => {
  const { callId, before, after, source, ...rest } = call;
  return {
    ...rest,
    call_id: callId ?? null,
    before: before ?? null,
    after: after ?? null,
    source: source ?? null,
  };
};

const notAsRecordedIn = (comparison: ReplayItem["comparison"]) => [...(comparison?.notAsRecorded ?? [])];

const costsOf = ({ before, after }: NonNullable<ReplayItem["comparison"]>["costUsd"]) => ({
  before: roundedUsd(before),
  after: roundedUsd(after),
});

const answerOf = ({ before, after, isSame, lines }: NonNullable<ReplayItem["comparison"]>["answer"]) => ({
  before,
  after,
  same: isSame,
  lines: [...lines],
});

export const replayedRunDto = (item: ReplayItem, before: readonly StoredMessage[]): ReplayedRun => ({
  ...comparisonDto(item),
  before: before.map(messageDto),
  after: (item.messages ?? []).map(messageDto),
});

export const messageDto = ({ id, role, content }: StoredMessage): ReplayedRun["before"][number] => ({
  id,
  role,
  content: content.map((part) => {
    const { providerOptions: _, ...shown } = part as { providerOptions?: unknown };
    return shown as Record<string, unknown>;
  }),
});
