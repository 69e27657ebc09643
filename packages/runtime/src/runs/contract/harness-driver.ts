/**
 * What the engine needs from a coding agent's program to run an agent's sessions in it. The server implements this; the
 * engine knows no processes and no protocols, only unified events and incoming tool calls.
 */
import type { JsonValue, Result, RuntimeAgent } from "@capstan/core";
import type { ApprovalMode, CodingAgentEvent, FilePart, ToolOutput } from "@capstan/core/internal";
import type { ModelPrices } from "../../providers/models.ts";
import type { ReasoningEffort } from "./run-types.ts";

export interface HarnessFacts {
  /** Whether a session stored by the program can be resumed. */
  readonly canResume: boolean;
  readonly approvalModes: readonly ApprovalMode[];
}

/** A call of one of the agent's tools, from inside the program. */
export interface HarnessCall {
  readonly tool: string;
  readonly input: JsonValue;
  /** The program's own id of the call, if it sends one. */
  readonly id?: string | undefined;
  /** Aborted when the program no longer waits for the answer. */
  readonly signal: AbortSignal;
}

export interface HarnessRequest {
  readonly runId: string;
  readonly sessionId: string;
  /** The session's user: with its own tools, the program runs under a user id of theirs. */
  readonly userEmail: string;
  readonly agent: RuntimeAgent;
  readonly prompt: string;
  readonly files: readonly FilePart[];
  /** `provider/model` as in the agent or the message. */
  readonly model?: string | undefined;
  readonly reasoning?: ReasoningEffort | undefined;
  /** The program's own session to resume. */
  readonly resume?: string | undefined;
  /** After a crash: keep the files that the program left in its folder. */
  readonly recovers?: boolean;
  readonly maxTurns: number;
  readonly maxCostUsd?: number | undefined;
  /** Passes the gate; resolves with the tool's result, which may first require approval. */
  readonly call: (call: HarnessCall) => Promise<ToolOutput>;
}

export interface HarnessProcess {
  /** From `run-started` to `run-ended`; files that the program changed are stored before the last one. */
  readonly events: AsyncIterable<CodingAgentEvent>;
  /** Settles when the program has exited. */
  readonly ended: Promise<unknown>;
  /** The agent's tool that the program calls by this name; undefined for a tool of its own. */
  readonly ownTool: (name: string) => string | undefined;
  approve(id: string, input?: unknown): Promise<void>;
  deny(id: string, reason?: string): Promise<void>;
  /** Asks the program to stop through its protocol, then kills it. */
  interrupt(): Promise<void>;
  abort(): Promise<void>;
}

export interface HarnessDriver {
  readonly name: string;
  /** Whether the program can be given tools at all, as known here or as a probe has found. */
  takesTools(): Promise<boolean>;
  /** Whether this agent can run here; checked when it is saved, when a message arrives, and before the program starts. */
  check(agent: RuntimeAgent, model?: string): Promise<Result<HarnessFacts>>;
  start(request: HarnessRequest): Promise<Result<HarnessProcess>>;
  /** The prices of a model, by the name that the program uses. */
  prices(model: string | undefined): ModelPrices | undefined;
}
