/** Converts revisions between the API and the code. */
import {
  AGENT_KEPT,
  type AgentLabel,
  type RevisionDiff as RevisionDiffWire,
  type RevisionSummary as RevisionSummaryWire,
  type Revision as RevisionWire,
} from "@capstan/client/wire";
import { revisionDiff, rightsGrowth, roundedUsd } from "@capstan/core/internal";
import type { AgentRecord, LabelRecord, Revision, RevisionSummary } from "@capstan/runtime";
import { agentDto } from "./agent-wire.ts";

export const summaryDto = ({ number, by, at, why, label }: RevisionSummary): RevisionSummaryWire => ({
  number,
  by,
  at: at.toISOString(),
  why,
  ...(label && { label }),
});

export const revisionDto = (revision: Revision, diff: RevisionDiffWire): RevisionWire => ({
  ...summaryDto(revision),
  agent: fieldsOf(revision.agent),
  capabilities: revision.pins && [...revision.pins],
  tokens: revision.tokens && { ...revision.tokens },
  diff,
});

/** The agent's fields, without those the server adds. */
function fieldsOf(agent: AgentRecord): Record<string, unknown> {
  const kept: readonly string[] = AGENT_KEPT;
  return Object.fromEntries(Object.entries(agentDto(agent)).filter(([field]) => !kept.includes(field)));
}

export function diffDto(before: Revision | undefined, after: Revision): RevisionDiffWire {
  const facts = ({ agent, pins, tokens }: Revision) => ({
    fields: fieldsOf(agent),
    pins,
    tokens: tokens?.total ?? null,
  });
  const none = { fields: {}, pins: [], tokens: null };
  const { fields, prompt, pins, tokens } = revisionDiff(before ? facts(before) : none, facts(after));
  return {
    against: before?.number ?? 0,
    fields: [...fields],
    prompt: [...prompt],
    pins: [...pins],
    rights: {
      gained: before ? rightsGrowth(before.agent, after.agent) : [],
      lost: before ? rightsGrowth(after.agent, before.agent) : [],
    },
    tokens,
  };
}

export const labelDto = ({ label, revision, share, figures }: LabelRecord): AgentLabel => ({
  label,
  revision,
  share,
  figures: {
    sessions: figures.sessions,
    runs: figures.runs,
    done: figures.done,
    failed: figures.failed,
    thumbs_up: figures.thumbsUp,
    thumbs_down: figures.thumbsDown,
    cost_usd: roundedUsd(figures.costUsd),
    mean_ms: figures.meanMs,
  },
});
