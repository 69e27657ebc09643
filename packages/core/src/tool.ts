/** A tool: one thing a capability lets an agent do. The seeds also say "action". Only the gate calls `run`. */
import type { z } from "zod";
import type { RunEvent } from "./events.ts";
import type { Result } from "./result.ts";
import type { Endpoint } from "./route/operation.ts";
import { type Schema, zodSchema } from "./schema.ts";
import type { ToolContext } from "./tool-context.ts";

/** What happens when a model asks for the tool: run it, ask a person, let the client run it, refuse. */
export type ToolPolicy = "auto" | "approve" | "client" | "deny";

/** What a call can do to the world. `irreversible`: it sends, pays, deletes, or cannot be undone otherwise. */
export type ToolRisk = "read" | "write" | "irreversible";

export interface Tool<Input = unknown, Output = unknown> {
  /** What models call it: `[a-zA-Z0-9_-]{1,64}`. */
  readonly name: string;
  readonly description: string;
  readonly input: Schema<Input>;
  readonly output?: Schema<Output>;
  readonly policy: ToolPolicy;
  readonly scopes: readonly string[];
  readonly timeoutMs: number;
  /** Whether the same call may run twice without harm; retries and recovery use it. */
  readonly idempotent: boolean;
  /** What a call can do to the world; see `riskOf` for tools that do not say. */
  readonly risk?: ToolRisk;
  /** True when it works on a session's files or data; the gate refuses it without one. */
  readonly requiresContext: boolean;
  /** Set when it cannot work here, such as a missing provider: the tool is hidden with this reason. */
  readonly unavailable?: Unavailable;
  /** Events shown with a result, such as a plan as an activity; stored in the same commit as the result. */
  readonly events?: (input: Input, output: Output, call: CallPlace) => readonly RunEvent[];
  /** Set when a call is one request to a web service: it tells near-equal operations apart. */
  readonly endpoint?: Endpoint;
  /** Whose data `context.store` holds, where capabilities share it: what one sends, another lists. Its own otherwise. */
  readonly storedUnder?: string;
  /** True when each call states all of what it records, as a todo list does: earlier calls are out of date. */
  readonly replacesEarlier?: boolean;
  /** Set when it runs code that the model writes, and whether that code is kept from the host. */
  readonly runsCode?: { readonly sandboxed: boolean };
  /** True when it reads the session's files, so that an attached file reaches the model by it. */
  readonly readsFiles?: boolean;
  /** Set when a call is a run of another agent. */
  readonly subagent?: { readonly name: string; readonly description?: string };
  /** Set when a call gives the session to another agent: its id. */
  readonly handsOverTo?: string;
  /** True when a call may change what the agent may use: it is composed anew before the next model call. */
  readonly changesRights?: boolean;
  run(input: Input, context: ToolContext): Promise<Result<Output>>;
}

/** Why a tool cannot work: a fact of the server, or one that an agent's config of the capability can change. */
export type Unavailable = string | ((config: unknown) => string | undefined);

export function whyUnavailable(
  { unavailable }: Pick<AnyTool, "unavailable">,
  config?: unknown,
): string | undefined {
  return typeof unavailable === "function" ? unavailable(config) : unavailable;
}

/**
 * The declared risk, or what the HTTP method of its endpoint says. A tool that says nothing counts as one that writes: nothing is
 * called on a guess because its author forgot a field.
 */
export function riskOf({ risk, endpoint }: Pick<AnyTool, "risk" | "endpoint">): ToolRisk {
  if (risk) return risk;
  if (!endpoint) return "write";
  if (endpoint.method === "GET" || endpoint.method === "HEAD") return "read";
  return endpoint.method === "DELETE" ? "irreversible" : "write";
}

/** Where a call happened, for the events that show it. */
export interface CallPlace {
  readonly toolCallId: string;
  readonly sessionId: string;
}

/** A tool whose types are no longer needed: what registries, the gate and composed agents hold. */
// biome-ignore lint/suspicious/noExplicitAny: input is checked by the tool's own schema before `run`
export type AnyTool = Tool<any, any>;

const DEFAULT_TIMEOUT_MS = 30_000; // a query; tools that work on files or call services say more

export interface ToolDefinition<In extends z.ZodType, Out extends z.ZodType> {
  name: string;
  description: string;
  input: In;
  output?: Out;
  policy?: ToolPolicy;
  scopes?: readonly string[];
  timeoutMs?: number;
  idempotent?: boolean;
  risk?: ToolRisk;
  requiresContext?: boolean;
  unavailable?: Unavailable | undefined;
  events?: (input: z.output<In>, output: z.output<Out>, call: CallPlace) => readonly RunEvent[];
  storedUnder?: string;
  replacesEarlier?: boolean;
  runsCode?: { sandboxed: boolean };
  readsFiles?: boolean;
  subagent?: { name: string; description?: string };
  handsOverTo?: string;
  changesRights?: boolean;
  run(input: z.output<In>, context: ToolContext): Promise<Result<z.output<Out>>> | Result<z.output<Out>>;
}

/** Declares a tool from zod schemas; its JSON Schema is derived, its types follow. */
export function defineTool<In extends z.ZodType, Out extends z.ZodType = z.ZodUnknown>(
  definition: ToolDefinition<In, Out>,
): Tool<z.output<In>, z.output<Out>> {
  const { input, output, unavailable, run, ...rest } = definition;
  return {
    policy: "auto",
    scopes: [],
    timeoutMs: DEFAULT_TIMEOUT_MS,
    idempotent: false,
    requiresContext: false,
    ...rest,
    input: zodSchema(input),
    ...(output && { output: zodSchema(output, "output") }),
    ...(unavailable !== undefined && { unavailable }),
    run: async (value, context) => run(value, context),
  };
}
