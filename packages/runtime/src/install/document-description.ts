/** What the review of a non-command package (MCP server, skill, OpenAPI document) shows: its capability. */
import type { AnyTool, Capability } from "@capstan/core";
import { flowOf, joinNeeds } from "@capstan/core/internal";
import type { PackageDescription } from "../db/schema/package-record.ts";

export function descriptionOf(capability: Capability): PackageDescription {
  const tools = capability.tools.map((tool) => {
    const { reads, writes } = flowOf(tool);
    return { name: tool.name, description: tool.description, scopes: tool.scopes, reads, writes };
  });
  const scopes = [...capability.requiredScopes, ...tools.flatMap((tool) => tool.scopes)];
  const needs = joinNeeds(capability.connections, ...capability.tools.map(needsOf));
  const connections = needs.map(({ provider, scopes }) => ({ provider, scopes }));
  const { hosts } = capability.routing?.allow ?? {};
  return {
    ...(hosts && hosts.length > 0 && { hosts }),
    ...(connections.length > 0 && { connections }),
    name: capability.id,
    version: capability.version,
    role: "other",
    capability: capability.id,
    summary: capability.description,
    tools,
    scopes: [...new Set(scopes)].sort(),
    commands: [],
    dependencies: [...capability.dependencies],
    install_scripts: [],
    skills: [],
    must_run_code: false,
  };
}

/** For an agent without its own secret for it. */
const needsOf = ({ connections }: AnyTool) =>
  typeof connections === "function" ? connections({}) : connections;
