/**
 * A model call as it is stored with its message: what it used, and facts for the trace. The numbers that every call has are one
 * array, and what goes without saying is left out: with a name for each they were a twentieth of a turn's write-ahead log.
 */
import type { TokenUsage } from "@capstan/core/internal";

export interface StoredUsage {
  readonly [key: string]: number | string | Numbers | undefined;
  readonly call?: Numbers;
}

/** When it started, how long it took, its first token, the messages it was sent and, after a retry, its attempts. */
type Numbers = readonly [number, number, number | null, number, attempts?: number];

export interface CallTiming {
  readonly startedAt?: string;
  readonly durationMs?: number;
  readonly firstTokenMs?: number;
  readonly attempts?: number;
  readonly promptId?: string;
  readonly sentMessages?: number;
  /** The provider's metadata of its answer. */
  readonly responseId?: string;
  readonly responseModel?: string;
  readonly finishReason?: string;
}

/** Usage, cost and timing of a model call. */
export type StoredCall = TokenUsage & CallTiming & { readonly costUsd?: number };

const UNNAMED = ""; // the provider did not say which model answered; where nothing is stored, it was the one that was asked

/** Of a call that was answered. */
export type WholeTiming = CallTiming &
  Required<Pick<CallTiming, "startedAt" | "durationMs" | "attempts" | "sentMessages">>;

export function storedCall(usage: StoredUsage, timing: WholeTiming): StoredUsage {
  const {
    startedAt,
    durationMs,
    firstTokenMs = null,
    sentMessages,
    attempts,
    responseModel,
    ...told
  } = timing;
  const numbers = [Date.parse(startedAt), durationMs, firstTokenMs, sentMessages] as const;
  return {
    ...usage,
    ...told,
    ...(responseModel !== usage.model && { responseModel: responseModel ?? UNNAMED }),
    call: attempts > 1 ? [...numbers, attempts] : numbers,
  };
}

/** Rows of earlier versions have a name for each number. */
export function readCall({ call, ...stored }: StoredUsage): StoredCall {
  const told = stored as StoredCall;
  if (!call) return told;
  const { responseModel = told.model, ...facts } = told;
  const [startedAt, durationMs, firstTokenMs, sentMessages, attempts = 1] = call;
  return {
    ...facts,
    ...(responseModel !== undefined && responseModel !== UNNAMED && { responseModel }),
    startedAt: new Date(startedAt).toISOString(),
    durationMs,
    ...(firstTokenMs !== null && { firstTokenMs }),
    sentMessages,
    attempts,
  };
}

/** Apart: what it used, and the facts about the call. */
export function callParts(call: Partial<StoredCall>): {
  usage: Omit<StoredCall, keyof CallTiming>;
  timing: CallTiming;
} {
  const {
    startedAt,
    durationMs,
    firstTokenMs,
    attempts,
    promptId,
    sentMessages,
    responseId,
    responseModel,
    finishReason,
    ...usage
  } = call;
  const told = { startedAt, durationMs, firstTokenMs, attempts, promptId, sentMessages };
  const facts = { ...told, responseId, responseModel, finishReason };
  return {
    usage,
    timing: Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined)),
  };
}
