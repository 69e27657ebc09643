/** Types of the engine: what a message may contain, what a run stores of it, and what the engine is made from. */
import type {
  CountTokens,
  Failure,
  JsonSchema,
  JsonValue,
  Result,
  RunLimits,
  RuntimeAgent,
} from "@capstan/core";
import type { ApprovalExpiry, ContinueIn, Follows, TokenUsage, UserPart } from "@capstan/core/internal";
import type { BudgetLedger } from "../../budgets/budget-ledger.ts";
import type { Database } from "../../db/database.ts";
import type { Gate } from "../../gate/gate.ts";
import type { Models } from "../../providers/models.ts";
import type { OwnPlaces } from "../../queues/run-places.ts";
import type { TextCheckStore } from "../../text-checks/text-check-store.ts";
import type { ConfigSeal } from "../../users/config-seal.ts";
import type { Sampling, ToolChoice } from "./call-settings.ts";
import type { HarnessDriver } from "./harness-driver.ts";

/** A tool that the client runs itself, as AG-UI sends it. */
export interface ClientTool {
  readonly name: string;
  readonly description: string;
  readonly parameters?: JsonSchema | undefined;
}

export interface NewMessage {
  /** The client's own id; sending the same id again is the same message. Generated when absent. */
  readonly id?: string | undefined;
  readonly content: string | readonly UserPart[];
}

export interface SendOptions {
  /** `provider/model` in place of the agent's, for this run. */
  readonly model?: string | undefined;
  /** The answer must be JSON that matches this schema. */
  readonly outputSchema?: JsonSchema | undefined;
  readonly webhookUrl?: string | undefined;
  readonly clientTools?: readonly ClientTool[] | undefined;
  /** Context from the client for this turn. */
  readonly context?: readonly { readonly description: string; readonly value: string }[] | undefined;
  /** The session's shared state, as the client sends it. */
  readonly state?: JsonValue | undefined;
  /** Limits lower than the agent's; higher ones are ignored. */
  readonly limits?: RunLimits | undefined;
  readonly reasoning?: ReasoningEffort | undefined;
  readonly sampling?: Sampling | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  /** The client shares state with the agent: `update_state` is offered even while the state is empty. */
  readonly sharesState?: boolean | undefined;
  /** Arguments of these tools become part of the shared state; clients show them while they stream. */
  readonly predictState?: readonly PredictedState[] | undefined;
  /** System and developer messages of the client, for the model. */
  readonly instructions?: readonly string[] | undefined;
  /** The client's own run id: the same message with the same id is a repeated request. */
  readonly clientRunId?: string | undefined;
  /** The session that keeps the messages which this message replaces. */
  readonly branchSessionId?: string | undefined;
  /** W3C's `traceparent` of the request: the run's spans belong to that trace. */
  readonly traceparent?: string | undefined;
  /** The client that follows the run, and what happens when it disconnects. */
  readonly client?: FollowingClient | undefined;
  /** Set when no person sent the message, for telemetry. */
  readonly origin?: "trigger" | undefined;
  /** The client brought earlier messages of a conversation that is not stored here. */
  readonly broughtHistory?: true | undefined;
}

export interface FollowingClient {
  /** The person who cancels the run by disconnecting. */
  readonly by: string;
  /** The agent's own setting when absent. */
  readonly onDisconnect?: "continue" | "cancel" | undefined;
  /** How long nobody may listen before the run is cancelled. */
  readonly graceSeconds?: number | undefined;
  /** The session is deleted with the end of the run. */
  readonly ephemeral?: boolean | undefined;
}

export interface PredictedState {
  readonly stateKey: string;
  readonly tool: string;
  /** The argument that becomes the value; all arguments when absent. */
  readonly argument?: string | undefined;
}

export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

export interface Sent {
  readonly runId: string;
  readonly messageId: string;
  /** `queued`: another run of the session is running or waiting; this one starts when it ends. */
  readonly status: "running" | "queued" | "known";
  /** The sequence number before this run's first event, when it started. */
  readonly afterSeq?: number;
}

/** The options that a run stores. */
export interface RunInput extends Omit<SendOptions, "state"> {
  /** The message itself, while it is queued. */
  readonly content?: readonly UserPart[];
  /** Scopes of the run that started this one; an upper limit. */
  readonly scopeCeiling?: readonly string[];
  /** How many runs are above this one. */
  readonly depth?: number;
  /** The program that runs it instead of this agent's own, from its first step to its last. */
  readonly continueIn?: ContinueIn & { readonly agentId: string };
}

export type RunStatus = "queued" | "running" | "waiting" | "done" | "failed" | "cancelled";

/** Tokens and cost of a run so far; `activeMs` excludes time spent waiting for people. */
export interface RunUsage {
  readonly steps: number;
  readonly activeMs: number;
  readonly costUsd: number;
  /** The part of it that runs started by this one cost; they report it themselves. */
  readonly childCostUsd?: number;
  readonly tokens: readonly TokenUsage[];
}

/** What a waiting run is waiting for. */
export interface Pending {
  readonly approvals: readonly string[];
  readonly clientCalls: readonly string[];
  readonly children: readonly string[];
}

export type RunResult =
  | { readonly type: "done"; readonly messageId: string; readonly output?: JsonValue }
  | { readonly type: "failed"; readonly failure: Failure }
  | { readonly type: "cancelled"; readonly by?: string };

/** Features a segment used, to record what an agent and its model really do. */
export interface RunObservation {
  readonly agentId: string;
  readonly model: string;
  readonly reasoning: boolean;
  readonly encryptedReasoning: boolean;
  readonly toolCalls: boolean;
  readonly parallelCalls: boolean;
  readonly interrupts: boolean;
  readonly structuredOutput: boolean;
  readonly subagents: boolean;
  readonly handoffs: boolean;
  readonly mediaTypes: readonly string[];
}

/** An ended run, for metrics and traces. */
export interface EndedRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly end: "done" | "failed" | "cancelled";
  readonly usage: RunUsage;
}

export interface RetryPolicy {
  readonly attempts: number;
  readonly baseMs: number;
  readonly longestMs: number;
  /** A model that is silent for this long is given up for the next one, if there is one. */
  readonly longestSilenceMs: number;
}

/** Limits for agents that set none. */
export interface DefaultLimits {
  readonly maxSteps: number;
  readonly maxSeconds: number;
  readonly maxTokens?: number;
  readonly maxCostUsd?: number;
}

export interface RunsParts {
  readonly database: Database;
  readonly gate: Gate;
  readonly composeFor: (
    agentId: string,
    userEmail: string,
    follows?: Follows | null,
  ) => Promise<Result<RuntimeAgent>>;
  /** What a session created with its first message follows. */
  readonly assignRevision?: (agentId: string, sessionId: string) => Promise<Follows | undefined>;
  /** An unsaved agent with one capability, for an approved call without an agent. */
  readonly composeSingle?: (
    capabilityId: string,
    config: unknown,
    userEmail: string,
  ) => Promise<Result<RuntimeAgent>>;
  /** Seals the secrets of a config that is stored with an approval; without it configs are stored as they are. */
  readonly sealConfig?: ConfigSeal["seal"] | undefined;
  readonly models: Models;
  /** Runs the sessions of agents whose `harness` is a coding agent of this name. */
  readonly harness?: (name: string) => HarnessDriver | undefined;
  /** How long a coding agent's program waits for a person; later, it is resumed when the answer arrives. */
  readonly harnessWaitMs?: number;
  /** Unique per process on Postgres, `local` on the embedded store. */
  readonly executorId: string;
  readonly now?: () => Date;
  readonly countTokens?: CountTokens;
  readonly limits?: Partial<DefaultLimits>;
  /** The checks on what an agent's model says. */
  readonly textChecks?: TextCheckStore["inForce"] | undefined;
  /** Budgets of days, weeks and months. */
  readonly budgets?: BudgetLedger | undefined;
  readonly retry?: Partial<RetryPolicy>;
  /** Above this many tokens of tool schemas, tools are found by `search_tools`. */
  readonly deferToolsAbove?: number;
  /** Reads an attachment from the session's files. */
  readonly readFile?: (sessionId: string, path: string) => Promise<Result<Uint8Array>>;
  /** Deletes the session of a one-off call whose client is gone. */
  readonly deleteSession?: (sessionId: string) => Promise<unknown>;
  /** Copies files when a session is forked. */
  readonly copyFiles?: (fromSession: string, toSession: string) => Promise<void>;
  readonly webhooks?: Webhooks;
  /** Who answers calls that change rights, besides admins. */
  readonly rightsApprover?: string | undefined;
  /** Called after each segment; must not throw or block. */
  readonly observed?: (observation: RunObservation) => void;
  /** Called once per run, when it has ended; must not throw or block. */
  readonly ended?: (run: EndedRun) => void;
  /** Called when an approval is requested or decided; must not throw or block. */
  readonly audit?: (entry: { actor: string; action: string; subject: string; details: object }) => void;
  readonly onError?: (error: unknown, what: string) => void;
  /** Where segments run, a few at once; further ones wait. Without it, this engine has its own slots. */
  readonly places?: OwnPlaces;
}

export interface Webhooks {
  readonly fetch: WebhookFetch;
  readonly secret: string;
  /** Refuses an address that no delivery could reach, when it is set. */
  readonly check: (url: string) => Promise<Result<unknown>>;
  /** Called after each attempt; must not throw or wait. */
  readonly attempted?: (attempt: WebhookAttempt) => void;
}

/** One attempt to deliver; `failed` is tried again, `given_up` is not. */
export interface WebhookAttempt {
  readonly runId: string;
  readonly result: "delivered" | "failed" | "given_up";
  readonly attempts: number;
  /** Why it was not delivered. */
  readonly why?: string;
}

export type WebhookFetch = (
  url: string,
  options: { method: string; headers: Record<string, string>; body: string; signal: AbortSignal },
) => Promise<Result<Response>>;

export type { ApprovalExpiry };
