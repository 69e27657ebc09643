/** The events that start and end a segment. Each is built here and nowhere else, so that each has every field. */
import type { Failure, JsonValue, RunEvent } from "@capstan/core";
import type { SegmentOutcome, TokenUsage } from "@capstan/core/internal";

const PROTOCOL_VERSION = "1.0";

type Started = Extract<RunEvent, { type: "RUN_STARTED" }>;
type Finished = Extract<RunEvent, { type: "RUN_FINISHED" }>;
type Failed = Extract<RunEvent, { type: "RUN_ERROR" }>;

/** The id of a segment in events: the first has the run's own id. */
export const segmentIdOf = (runId: string, segment: number): string =>
  segment === 0 ? runId : `${runId}:${segment}`;

export const runStarted = (start: {
  readonly sessionId: string;
  readonly segmentId: string;
  readonly parentRunId?: string | undefined;
  readonly at: Date;
}): Started => ({
  type: "RUN_STARTED",
  threadId: start.sessionId,
  runId: start.segmentId,
  protocolVersion: PROTOCOL_VERSION,
  ...(start.parentRunId !== undefined && { parentRunId: start.parentRunId }),
  timestamp: start.at.getTime(),
});

export const runFinished = (end: {
  readonly sessionId: string;
  readonly segmentId: string;
  readonly outcome: SegmentOutcome;
  readonly result?: JsonValue | undefined;
  readonly usage: readonly TokenUsage[];
  readonly at: Date;
}): Finished => ({
  type: "RUN_FINISHED",
  threadId: end.sessionId,
  runId: end.segmentId,
  outcome: end.outcome,
  ...(end.result !== undefined && { result: end.result }),
  ...(end.usage.length > 0 && { usage: [...end.usage] }),
  timestamp: end.at.getTime(),
});

/** What a provider says often ends without a full stop. */
const asSentence = (text: string): string => (/[.!?…]["'”’)]?$/.test(text) ? text : `${text}.`);

export const runFailed = (end: {
  readonly failure: Failure;
  readonly usage: readonly TokenUsage[];
  readonly at: Date;
}): Failed => ({
  type: "RUN_ERROR",
  message: `${asSentence(end.failure.message)} ${end.failure.nextStep}`,
  code: end.failure.code,
  metadata: { nextStep: end.failure.nextStep },
  ...(end.usage.length > 0 && { usage: [...end.usage] }),
  timestamp: end.at.getTime(),
});
