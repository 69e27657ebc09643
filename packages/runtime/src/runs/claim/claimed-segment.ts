/** A claimed segment, as read from the rows. */
import type { JsonValue } from "@capstan/core";
import type { ConversationMessage, Follows } from "@capstan/core/internal";
import type { RunInput, RunUsage } from "../contract/run-types.ts";
import type { StoredUsage } from "../log/stored-call.ts";
import type { SessionSummary } from "../summary/session-summary.ts";

/** A person's answer to a call, by the call's id. */
export interface Answer {
  readonly callId: string;
  readonly status: "approved" | "denied" | "expired" | "cancelled" | "pending";
  readonly words: string | null;
  readonly edited: JsonValue;
  readonly by: string | null;
  /** Hash of what was asked for: an approval of something else does not count. */
  readonly pin: string | null;
}

/** A claimed segment. */
export interface ClaimedSegment {
  readonly runId: string;
  readonly sessionId: string;
  readonly epoch: number;
  readonly segment: number;
  readonly launch: number;
  /** Its RUN_STARTED is written: it had started before a crash. */
  readonly isStarted: boolean;
  readonly input: RunInput;
  readonly agentId: string;
  readonly userEmail: string;
  readonly parent?: { readonly runId: string; readonly callId: string } | undefined;
  readonly state: JsonValue;
  readonly metadata: { readonly scopeCeiling?: readonly string[] };
  /** The revision or label that the session uses; null: the live one. */
  readonly follows: Follows | null;
  /** The last sequence number in use, and the next free position. */
  readonly seq: number;
  readonly position: number;
  /** As a model sees them: the summary first, if there is one. */
  readonly messages: readonly ConversationMessage[];
  readonly summary: SessionSummary | undefined;
  readonly usages: readonly StoredUsage[];
  readonly activeMs: number;
  /** Usage of the runs it started. */
  readonly children: readonly RunUsage[];
  /** Claims in a row without progress. */
  readonly attempts: number;
  readonly answers: readonly Answer[];
}
