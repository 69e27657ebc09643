/**
 * A capability: prompt, tools and rights, declared once. Everything else in Capstan reads this.
 * Only the source's own loader may branch on where it comes from (`source`).
 */
import type { z } from "zod";
import type { ConnectionNeed } from "./connections/connection-need.ts";
import type { GateHooks } from "./gate-hooks.ts";
import { type JsonSchema, type JsonValue, type Schema, zodSchema } from "./schema.ts";
import type { AnyTool, ToolPolicy } from "./tool.ts";

export type CapabilityStatus = "available" | "coming_soon" | "deprecated";
export type CapabilityRisk = "low" | "medium" | "high";
export type CapabilitySource = "builtin" | "declarative" | "http" | "cli" | "rt" | "mcp" | "skill" | "agent";

/** How tasks are routed to the capability. */
export interface RoutingHints {
  /** Phrases a person would say, 5 to 10 of them. */
  readonly triggers?: readonly string[];
  readonly tags?: readonly string[];
  readonly domain?: string;
  /** Verbs such as create, search, fetch, generate. */
  readonly actions?: readonly string[];
  /** The route a task calls; a tool is called directly when there is none. */
  readonly route?: string;
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Fields sent with every call of the route, such as the action; they tell apart capabilities that share a route. */
  readonly payload?: Readonly<Record<string, JsonValue>>;
  /** The input of an external route, as JSON Schema; a task's text is mapped to it. Used when there is no tool. */
  readonly input?: JsonSchema;
  /** A chat message that matches one of these (case-insensitive, RE2 syntax) goes to the router. */
  readonly chatPatterns?: readonly string[];
  /** Hosts and routes its steps may call; all others are refused. */
  readonly allow?: { readonly hosts?: readonly string[]; readonly routes?: readonly string[] };
  /** The task must contain one of these words, such as "webhook" for a webhook endpoint. */
  readonly contextWords?: readonly string[];
  /** True for fetch and extract: penalised when the task has no URL. */
  readonly needsUrl?: boolean;
  /** True for the fallback that answers when nothing else fits. */
  readonly fallback?: boolean;
  /** False for internal capabilities: no task is about them, so the router never offers them. */
  readonly routable?: boolean;
}

/** Whether tasks can be routed to it: it is not internal, and there is something to call. */
export const servesTasks = ({ status, routing, tools }: Capability): boolean =>
  status !== "coming_soon" &&
  routing?.routable !== false &&
  (tools.length > 0 || routing?.route !== undefined);

export interface Capability {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly status: CapabilityStatus;
  readonly version: string;
  readonly source: CapabilitySource;
  readonly risk: CapabilityRisk;
  readonly icon?: string;
  readonly category?: string;
  /** Added to the agent's system prompt. */
  readonly systemPrompt?: string;
  readonly tools: readonly AnyTool[];
  /** Ids of required capabilities; composed before this one. */
  readonly dependencies: readonly string[];
  /** The one of these from the same package: composed in this version, unless the agent lists it itself. */
  readonly bundledWith?: string;
  /** Required scopes; if one is missing, the whole capability is hidden. */
  readonly requiredScopes: readonly string[];
  /** Accounts of the user that every tool needs; the gate adds their tokens. */
  readonly connections?: readonly ConnectionNeed[];
  readonly config?: Schema;
  /** Tightens the policy of any of the agent's tools, by tool name; never loosens it. */
  readonly policies?: Readonly<Record<string, ToolPolicy>>;
  readonly hooks?: GateHooks;
  readonly routing?: RoutingHints;
  readonly documentation?: { readonly usage?: string; readonly examples?: readonly string[] };
}

export interface CapabilityDefinition<Config extends z.ZodType = z.ZodType> {
  id: string;
  name: string;
  description: string;
  status?: CapabilityStatus;
  version?: string;
  source?: CapabilitySource;
  risk?: CapabilityRisk;
  icon?: string;
  category?: string;
  systemPrompt?: string;
  tools?: readonly AnyTool[];
  dependencies?: readonly string[];
  requiredScopes?: readonly string[];
  connections?: readonly ConnectionNeed[];
  config?: Config;
  policies?: Readonly<Record<string, ToolPolicy>>;
  hooks?: GateHooks;
  routing?: RoutingHints;
  documentation?: { usage?: string; examples?: readonly string[] };
}

/** Declares a capability. Only id, name and description are required; the registry validates the rest at registration. */
export function defineCapability<Config extends z.ZodType>(
  definition: CapabilityDefinition<Config>,
): Capability {
  const { config, ...rest } = definition;
  return {
    status: "available",
    version: "1.0.0",
    source: "builtin",
    risk: "low",
    tools: [],
    dependencies: [],
    requiredScopes: [],
    ...rest,
    ...(config && { config: zodSchema(config) }),
  };
}
