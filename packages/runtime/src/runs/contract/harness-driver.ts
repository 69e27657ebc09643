/**
 * What the engine needs of a coding agent's program to run an agent's sessions in it. The server implements this; the
 * engine knows neither processes nor protocols, only the unified events and the calls that come back to it.
 */
import type { JsonValue, Result, RuntimeAgent } from "@capstan/core";
import type { ApprovalMode, CodingAgentEvent, FilePart, ToolOutput } from "@capstan/core/internal";
import type { ModelPrices } from "../../providers/models.ts";
import type { ReasoningEffort } from "./run-types.ts";

export interface HarnessFacts {
  /** Whether a session that the program stored can be gone on with. */
  readonly canResume: boolean;
  readonly approvalModes: readonly ApprovalMode[];
}

/** A call of one of the agent's tools, from inside the program. */
export interface HarnessCall {
  readonly tool: string;
  readonly input: JsonValue;
  /** The program's own id of the call, where it sends one. */
  readonly id?: string | undefined;
  /** Aborted when the program no longer waits for the answer. */
  readonly signal: AbortSignal;
}

export interface HarnessRequest {
  readonly runId: string;
  readonly sessionId: string;
  readonly agent: RuntimeAgent;
  readonly prompt: string;
  readonly files: readonly FilePart[];
  /** `provider/model` as the agent or the message names it. */
  readonly model?: string | undefined;
  readonly reasoning?: ReasoningEffort | undefined;
  /** The program's own session to go on with. */
  readonly resume?: string | undefined;
  /** After a crash: what the program left in its folder is its work, not rubbish. */
  readonly recovers?: boolean;
  readonly maxTurns: number;
  readonly maxCostUsd?: number | undefined;
  /** Goes through the gate; answers when the tool has, which may be after a person did. */
  readonly call: (call: HarnessCall) => Promise<ToolOutput>;
}

export interface HarnessProcess {
  /** From `run-started` to `run-ended`; what the program changed in its folder is kept before the last one comes. */
  readonly events: AsyncIterable<CodingAgentEvent>;
  /** Settles when the program is gone. */
  readonly ended: Promise<unknown>;
  /** The agent's tool that the program calls by this name; undefined for a tool of its own. */
  readonly ownTool: (name: string) => string | undefined;
  approve(id: string, input?: unknown): Promise<void>;
  deny(id: string, reason?: string): Promise<void>;
  /** Asks it to stop as its protocol does, then makes it. */
  interrupt(): Promise<void>;
  abort(): Promise<void>;
}

export interface HarnessDriver {
  readonly name: string;
  /** Whether this agent can run on it, here: asked at save, when a message comes, and before the program starts. */
  check(agent: RuntimeAgent, model?: string): Promise<Result<HarnessFacts>>;
  start(request: HarnessRequest): Promise<Result<HarnessProcess>>;
  /** What tokens of the model cost, by the name the program gives it. */
  prices(model: string | undefined): ModelPrices | undefined;
}
