/** The entries of a conversation, in order. */
import type { JsonValue } from "@capstan/core";
import type { Interrupt, ListedTask } from "@capstan/core/internal";

interface Piece {
  readonly id: string;
  readonly runId?: string | undefined;
  /** Milliseconds since 1970, if the event has a time. */
  readonly at?: number | undefined;
  readonly subagent?: string | undefined;
}

/** A person's message that started a run. Its id is the run's; the text comes with the messages, not with the events. */
export interface UserEntry extends Piece {
  readonly kind: "user";
  readonly message?: UserMessage | undefined;
}

export interface UserMessage {
  readonly id: string;
  /** Among the session's messages. */
  readonly position: number;
  readonly text: string;
  readonly media: readonly Media[];
}

export interface Media {
  readonly mimeType: string;
  readonly name?: string | undefined;
  /** A session file, an address, or the bytes themselves in base64. */
  readonly path?: string | undefined;
  readonly url?: string | undefined;
  readonly data?: string | undefined;
}

export interface TextEntry extends Piece {
  readonly kind: "text";
  readonly text: string;
  readonly done: boolean;
}

export interface ReasoningEntry extends Piece {
  readonly kind: "reasoning";
  readonly text: string;
  readonly done: boolean;
}

export interface ToolEntry extends Piece {
  readonly kind: "tool";
  readonly name: string;
  readonly messageId?: string | undefined;
  /** JSON, whole once `ready`. */
  readonly argumentsText: string;
  readonly ready: boolean;
  readonly result?: { readonly text: string; readonly failed: boolean } | undefined;
  /** Its duration, without waiting for approval. */
  readonly tookMs?: number | undefined;
  /** Arguments edited by a person; it ran with these. */
  readonly edited?: unknown;
  /** Approval was requested; pending while there is no result. */
  readonly interrupt?: Interrupt | undefined;
  /** It drew its own card, with its input and result. */
  readonly drawn?: boolean | undefined;
  /** To be run by the client itself. */
  readonly forClient?: boolean | undefined;
}

export interface NoticeEntry extends Piece {
  readonly kind: "notice";
  readonly tone: "plain" | "warn" | "bad";
  readonly text: string;
  readonly nextStep?: string | undefined;
  /** The failure's code, if the notice is about one. */
  readonly code?: string | undefined;
}

export interface ActivityEntry extends Piece {
  readonly kind: "activity";
  readonly activityType: string;
  readonly content: JsonValue;
}

export interface SubagentEntry extends Piece {
  readonly kind: "subagent";
  readonly name: string;
  readonly description?: string | undefined;
  readonly status: "running" | "done" | "waiting" | "failed";
  readonly message?: string | undefined;
}

/** An interrupt that belongs to no tool call, such as a request for a scope. */
export interface QuestionEntry extends Piece {
  readonly kind: "question";
  readonly interrupt: Interrupt;
}

export type Entry =
  | UserEntry
  | TextEntry
  | ReasoningEntry
  | ToolEntry
  | NoticeEntry
  | ActivityEntry
  | SubagentEntry
  | QuestionEntry;

export const keyOf = ({ kind, id }: Pick<Entry, "kind" | "id">): string => `${kind} ${id}`;

export interface RunView {
  readonly id: string;
  readonly status: "running" | "done" | "waiting" | "failed" | "cancelled";
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
  readonly tokens?: number | undefined;
  readonly step?: string | undefined;
}

export interface ConversationView {
  readonly lastSeq: number;
  readonly entries: readonly Entry[];
  readonly runs: readonly RunView[];
  readonly state: JsonValue | undefined;
  readonly todos: readonly ListedTask[];
  /** Increases with every tool result, to reload what a tool may have changed. */
  readonly toolResults: number;
}
