/**
 * The events of a session, as stored and as sent: those of AG-UI 1.0, in our own types.
 * Each event's sequence number in the session is stored beside it, never inside: the protocol has no such field.
 */
import type { AgUiContentPart, AgUiMessage } from "./ag-ui-messages.ts";
import type { JsonValue } from "./schema.ts";

export const AG_UI_VERSION = "1.0";

/** Tokens of one provider and model. Cached and reasoning tokens are parts of the totals, never additions. */
export interface TokenUsage {
  readonly provider?: string;
  readonly model?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  readonly reasoningTokens?: number;
  readonly cachedInputTokens?: number;
  readonly cacheWriteInputTokens?: number;
}

/** Why a run stopped for an answer: the approval's id, and what a client needs to ask a person. */
export interface Interrupt {
  readonly id: string;
  readonly reason: string;
  readonly message?: string;
  readonly toolCallId?: string;
  readonly responseSchema?: Readonly<Record<string, unknown>>;
  readonly expiresAt?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export type SegmentOutcome =
  | { readonly type: "success"; readonly pendingToolCallIds?: readonly string[] }
  | { readonly type: "interrupt"; readonly interrupts: readonly Interrupt[] }
  | { readonly type: "cancelled" };

export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: JsonValue }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

interface Base {
  readonly timestamp?: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
}
interface OfSubagent extends Base {
  readonly subagentRunId?: string;
}
interface OfMessage extends OfSubagent {
  readonly messageId: string;
}
interface OfCall extends OfSubagent {
  readonly toolCallId: string;
}

export type RunEvent =
  | (Base & {
      readonly type: "RUN_STARTED";
      readonly threadId: string;
      readonly runId: string;
      readonly protocolVersion?: string;
      readonly parentRunId?: string;
    })
  | (Base & {
      readonly type: "RUN_FINISHED";
      readonly threadId: string;
      readonly runId: string;
      readonly result?: JsonValue;
      readonly outcome?: SegmentOutcome;
      readonly usage?: readonly TokenUsage[];
    })
  | (Base & {
      readonly type: "RUN_ERROR";
      readonly message: string;
      readonly code?: string;
      readonly usage?: readonly TokenUsage[];
    })
  | (OfSubagent & { readonly type: "STEP_STARTED" | "STEP_FINISHED"; readonly stepName: string })
  | (OfMessage & { readonly type: "TEXT_MESSAGE_START"; readonly role: "assistant" | "user" })
  | (OfMessage & { readonly type: "TEXT_MESSAGE_CONTENT"; readonly delta: string })
  | (OfMessage & { readonly type: "TEXT_MESSAGE_END" })
  | (OfMessage & { readonly type: "REASONING_START" | "REASONING_END" | "REASONING_MESSAGE_END" })
  | (OfMessage & { readonly type: "REASONING_MESSAGE_START"; readonly role: "reasoning" })
  | (OfMessage & { readonly type: "REASONING_MESSAGE_CONTENT"; readonly delta: string })
  | (OfSubagent & {
      readonly type: "REASONING_ENCRYPTED_VALUE";
      readonly subtype: "tool-call" | "message";
      readonly entityId: string;
      readonly encryptedValue: string;
    })
  | (OfCall & {
      readonly type: "TOOL_CALL_START";
      readonly toolCallName: string;
      readonly parentMessageId?: string;
    })
  | (OfCall & { readonly type: "TOOL_CALL_ARGS"; readonly delta: string })
  | (OfCall & { readonly type: "TOOL_CALL_END" })
  | (OfCall & {
      readonly type: "TOOL_CALL_RESULT";
      readonly messageId: string;
      readonly content: string | readonly AgUiContentPart[];
      readonly role?: "tool";
    })
  | (OfSubagent & { readonly type: "STATE_SNAPSHOT"; readonly snapshot: JsonValue })
  | (OfSubagent & { readonly type: "STATE_DELTA"; readonly delta: readonly JsonPatchOperation[] })
  | (Base & { readonly type: "MESSAGES_SNAPSHOT"; readonly messages: readonly AgUiMessage[] })
  | (OfMessage & {
      readonly type: "ACTIVITY_SNAPSHOT";
      readonly activityType: string;
      readonly content: { readonly [key: string]: JsonValue };
      readonly replace?: boolean;
    })
  | (OfMessage & {
      readonly type: "ACTIVITY_DELTA";
      readonly activityType: string;
      readonly patch: readonly JsonPatchOperation[];
    })
  | (OfSubagent & { readonly type: "CUSTOM"; readonly name: string; readonly value: JsonValue })
  | (Base & {
      readonly type: "SUBAGENT_STARTED";
      readonly subagentRunId: string;
      readonly name: string;
      readonly description?: string;
      readonly parentToolCallId?: string;
    })
  | (Base & {
      readonly type: "SUBAGENT_FINISHED";
      readonly subagentRunId: string;
      readonly result?: JsonValue;
      readonly outcome?:
        | { readonly type: "success" }
        | { readonly type: "suspended"; readonly interruptIds?: readonly string[] };
    })
  | (Base & {
      readonly type: "SUBAGENT_ERROR";
      readonly subagentRunId: string;
      readonly message: string;
      readonly code?: string;
    });

/** Whether this is the last event of a run's segment. */
export const isTerminal = ({ type }: Pick<RunEvent, "type">): boolean =>
  type === "RUN_FINISHED" || type === "RUN_ERROR";

/** Our own CUSTOM events. */
export const CUSTOM_EVENTS = {
  /** A run resumed after a crash; uncommitted text is lost, and the preceding snapshot shows what remains. */
  resumed: "capstan.resumed",
  /** The provider failed or refused temporarily; the step is retried. */
  retrying: "capstan.retrying",
  /** A model could not answer; another of the agent's models does. */
  modelChanged: "capstan.model_changed",
  /** Earlier messages were replaced; another session keeps them. */
  rewound: "capstan.rewound",
  /** The session uses another agent from here on. */
  handedOver: "capstan.handed_over",
  /** Something the run had to skip, such as an attachment the model cannot read. */
  warning: "capstan.warning",
} as const;
