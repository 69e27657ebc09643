/** What the router knows about one capability. Any catalog can be ranked: ours, a package's, one posted by a client. */
import type { Capability } from "../capability.ts";
import type { AnyTool } from "../tool.ts";
import { type ParameterSchema, parametersOf } from "./parameters.ts";

export interface RouteDocument {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags?: readonly string[];
  /** Phrases and sentences a person would say. */
  readonly triggers?: readonly string[];
  /** Parameter names; a task often names its inputs. */
  readonly params?: readonly string[];
  readonly domain?: string;
  readonly actions?: readonly string[];
  /** The task must contain one of these words, otherwise the capability is refused. */
  readonly contextWords?: readonly string[];
  readonly needsUrl?: boolean;
  readonly fallback?: boolean;
}

/** A capability and its tools as one document: each tool's description counts as a request people make. */
export function routeDocument(capability: Capability): RouteDocument {
  const { routing = {}, tools } = capability;
  const spoken = tools.length > 1 ? tools.map((tool) => tool.description) : [];
  return {
    id: capability.id,
    name: capability.name,
    description: [
      capability.description,
      ...(tools.length === 1 ? tools.map((t) => t.description) : []),
    ].join(" "),
    tags: routing.tags ?? [],
    triggers: [...(routing.triggers ?? []), ...spoken],
    params: [...new Set(tools.flatMap((tool) => [tool.name, ...parameterNames(tool)]))],
    ...(routing.domain !== undefined && { domain: routing.domain }),
    ...(routing.actions && { actions: routing.actions }),
    ...(routing.contextWords && { contextWords: routing.contextWords }),
    ...(routing.needsUrl !== undefined && { needsUrl: routing.needsUrl }),
    ...(routing.fallback !== undefined && { fallback: routing.fallback }),
  };
}

/** One tool as a document of its own, to choose among the tools of a capability or of an agent. */
export function toolDocument(tool: Pick<AnyTool, "name" | "description" | "input">): RouteDocument {
  return {
    id: tool.name,
    name: tool.name,
    description: tool.description,
    params: parameterNames(tool),
  };
}

const parameterNames = (tool: Pick<AnyTool, "input">): string[] =>
  parametersOf(tool.input.jsonSchema).map((parameter: ParameterSchema) => parameter.name);
