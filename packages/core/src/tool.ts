/** A tool: one action that a capability gives an agent; the seeds also call it "action". Only the gate calls `run`. */
import type { z } from "zod";
import type { ConnectionNeed } from "./connections/connection-need.ts";
import type { DeclaredReads, DeclaredWrites } from "./data-flow/data-flow.ts";
import type { RunEvent } from "./events.ts";
import type { Result } from "./result.ts";
import type { Endpoint } from "./route/operation.ts";
import { type Schema, zodSchema } from "./schema.ts";
import type { ToolContext } from "./tool-context.ts";

/** What happens when a model calls the tool: run it, require approval, let the client run it, refuse. */
export type ToolPolicy = "auto" | "approve" | "client" | "deny";

/** What a call can change. `irreversible`: it sends, pays, deletes, or otherwise cannot be undone. */
export type ToolRisk = "read" | "write" | "irreversible";

export interface Tool<Input = unknown, Output = unknown> {
  /** What models call it: `[a-zA-Z0-9_-]{1,64}`. */
  readonly name: string;
  readonly description: string;
  readonly input: Schema<Input>;
  readonly output?: Schema<Output>;
  readonly policy: ToolPolicy;
  readonly scopes: readonly string[];
  /** Accounts of the user that it needs, besides its capability's; may depend on the agent's config of the capability. */
  readonly connections?: readonly ConnectionNeed[] | ((config: unknown) => readonly ConnectionNeed[]);
  readonly timeoutMs: number;
  /** Whether the same call may safely run twice; used by retries and recovery. */
  readonly idempotent: boolean;
  /** What a call can change; see `riskOf` for tools that do not declare it. */
  readonly risk?: ToolRisk;
  /** What its result brings into the conversation; see `flowOf` for tools that do not declare it. */
  readonly reads?: DeclaredReads;
  /** Where its effects go; an empty list: it has none. */
  readonly writes?: DeclaredWrites;
  /** Whether a call is made with a stored credential; may depend on the agent's config of the capability. */
  readonly usesSecrets?: boolean | ((config: unknown) => boolean);
  /** True when it reads whatever address the model names. */
  readonly reachesAnyAddress?: boolean;
  /** True when it needs a session's files or data; the gate refuses it without one. */
  readonly requiresContext: boolean;
  /** Set when it cannot work here, for example without a provider: the tool is hidden with this reason. */
  readonly unavailable?: Unavailable;
  /** Events sent with a result, such as a plan as an activity; stored in the same commit as the result. */
  readonly events?: (input: Input, output: Output, call: CallPlace) => readonly RunEvent[];
  /** Set when a call is one request to a web service; tells similar operations apart. */
  readonly endpoint?: Endpoint;
  /** The owner of `context.store` when capabilities share it: what one sends, another lists. Default: its own. */
  readonly storedUnder?: string;
  /** True when a call is computed from the conversation alone: it reads and changes nothing outside of it. */
  readonly pure?: boolean;
  /** True when each call replaces everything it recorded, as a todo list does: earlier calls are obsolete. */
  readonly replacesEarlier?: boolean;
  /** Set when it runs code written by the model, and whether that code is isolated from the host. */
  readonly runsCode?: { readonly sandboxed: boolean };
  /** True when a program of others makes the call: nothing here can hold it to what it declares. */
  readonly runsElsewhere?: boolean;
  /** True when it reads the session's files, so that the model can access attached files through it. */
  readonly readsFiles?: boolean;
  /** True when it finds what was kept in earlier sessions. */
  readonly recalls?: boolean;
  /** Set when a call is a run of another agent. */
  readonly subagent?: ReachedAgent;
  /** Set when a call hands the session over to another agent. */
  readonly handsOverTo?: ReachedAgent;
  /** True when a call may change what the agent can use: the agent is recomposed before the next model call. */
  readonly changesRights?: boolean;
  run(input: Input, context: ToolContext): Promise<Result<Output>>;
}

/** Another agent that a tool reaches. */
export interface ReachedAgent {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
}

/** Why a tool cannot work: because of the server, or of the agent's config of the capability. */
export type Unavailable = string | ((config: unknown) => string | undefined);

export function whyUnavailable(
  { unavailable }: Pick<AnyTool, "unavailable">,
  config?: unknown,
): string | undefined {
  return typeof unavailable === "function" ? unavailable(config) : unavailable;
}

/**
 * The declared risk, or the one implied by its endpoint's HTTP method. The default is `write`: nothing is called on a guess
 * because its author forgot a field.
 */
export function riskOf({ risk, endpoint }: Pick<AnyTool, "risk" | "endpoint">): ToolRisk {
  if (risk) return risk;
  if (!endpoint) return "write";
  if (endpoint.method === "GET" || endpoint.method === "HEAD") return "read";
  return endpoint.method === "DELETE" ? "irreversible" : "write";
}

/** Where a call happened, for its events. */
export interface CallPlace {
  readonly toolCallId: string;
  readonly sessionId: string;
}

/** A tool with its types erased: as held by registries, the gate and composed agents. */
// biome-ignore lint/suspicious/noExplicitAny: input is checked by the tool's own schema before `run`
export type AnyTool = Tool<any, any>;

const DEFAULT_TIMEOUT_MS = 30_000; // a query; tools that work on files or call services set more

export interface ToolDefinition<In extends z.ZodType, Out extends z.ZodType> {
  name: string;
  description: string;
  input: In;
  output?: Out;
  policy?: ToolPolicy;
  scopes?: readonly string[];
  connections?: readonly ConnectionNeed[];
  timeoutMs?: number;
  idempotent?: boolean;
  risk?: ToolRisk;
  reads?: DeclaredReads;
  writes?: DeclaredWrites;
  usesSecrets?: boolean | ((config: unknown) => boolean);
  reachesAnyAddress?: boolean;
  requiresContext?: boolean;
  unavailable?: Unavailable | undefined;
  events?: (input: z.output<In>, output: z.output<Out>, call: CallPlace) => readonly RunEvent[];
  storedUnder?: string;
  pure?: boolean;
  replacesEarlier?: boolean;
  runsCode?: { sandboxed: boolean };
  readsFiles?: boolean;
  recalls?: boolean;
  subagent?: ReachedAgent;
  handsOverTo?: ReachedAgent;
  changesRights?: boolean;
  run(input: z.output<In>, context: ToolContext): Promise<Result<z.output<Out>>> | Result<z.output<Out>>;
}

/** Declares a tool from zod schemas; JSON Schema and types are derived. */
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
