/** /v1/capabilities: registered capabilities, and direct tool calls through the gate. */

import {
  ApprovalPending,
  CapabilityDetail,
  CapabilityDocument,
  CapabilityPage,
  CapabilityQuery,
  CapabilityRegistered,
  CapabilityRemoved,
  ForceQuery,
  type RoutingWire,
  ToolResult,
  ToolRun,
} from "@capstan/client/wire";
import type { CapabilityRegistry } from "@capstan/core";
import { type AnyTool, type Capability, fail, type Result } from "@capstan/core";
import { whyUnavailable } from "@capstan/core/internal";
import {
  type AgentSharings,
  type AgentStore,
  type AuditLog,
  type CapabilityDocuments,
  delegateIdOf,
  type Packages,
} from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { flowDto } from "../agents/preview-dto.ts";
import { seesAll, sharedToCaller } from "../auth/ownership.ts";
import type { Caller } from "../http/caller.ts";
import { asWire, Id, json, jsonBody, jsonOrYamlBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { traceParent } from "../http/trace-parent.ts";
import { documentAsYaml } from "../http/yaml-body.ts";
import { registerDocument, removeDocument } from "./change-capability.ts";
import { CALL_ID_HEADER, type OneToolParts, runOneTool } from "./run-one-tool.ts";

const Tool = Id.extend({ tool: z.string() });

const listRoute = createRoute({
  operationId: "listCapabilities",
  ...needs("capability", "see"),
  method: "get",
  path: "/v1/capabilities",
  summary: "List capabilities",
  request: { query: CapabilityQuery },
  responses: {
    200: json(CapabilityPage, "The registered capabilities, by id."),
  },
});

const getRoute = createRoute({
  operationId: "getCapability",
  ...needs("capability", "see"),
  method: "get",
  path: "/v1/capabilities/{id}",
  summary: "One capability with its tools and schemas",
  request: { params: Id },
  responses: { 200: json(CapabilityDetail, "The capability.") },
});

const runRoute = createRoute({
  operationId: "runTool",
  ...needs("capability", "use"),
  method: "post",
  path: "/v1/capabilities/{id}/tools/{tool}",
  summary: "Call one tool, through the gate",
  request: { params: Tool, body: jsonBody(ToolRun) },
  responses: {
    200: json(ToolResult, "The tool's output."),
    202: json(ApprovalPending, "Approval is required."),
  },
});

const registerRoute = createRoute({
  operationId: "registerCapability",
  ...needs("capability", "change", documentAsYaml()),
  method: "post",
  path: "/v1/capabilities",
  summary: "Register a declarative capability, or a newer version of one",
  request: {
    body: jsonOrYamlBody(CapabilityDocument),
    query: ForceQuery,
  },
  responses: { 200: json(CapabilityRegistered, "Replaced."), 201: json(CapabilityRegistered, "Registered.") },
});

const removeRoute = createRoute({
  operationId: "removeCapability",
  ...needs("capability", "change"),
  method: "delete",
  path: "/v1/capabilities/{id}",
  summary: "Remove a registered capability; refused while agents use it, unless forced",
  request: { params: Id, query: ForceQuery },
  responses: {
    200: json(CapabilityRemoved, "It is gone, by force: these agents used it."),
    204: { description: "It is gone." },
  },
});

export interface CapabilityRouteParts extends OneToolParts {
  readonly registry: CapabilityRegistry;
  readonly agents: AgentStore;
  readonly documents: CapabilityDocuments;
  readonly packages: Pick<Packages, "versions" | "broughtWith" | "removeVersion">;
  readonly sharing: AgentSharings;
  readonly audit: AuditLog;
}

export function capabilityRoutes(services: CapabilityRouteParts) {
  const { registry, agents } = services;
  const routes = newRoutes("capabilities");
  routes.openapi(listRoute, async (c) => {
    const { limit, cursor, ...filter } = c.req.valid("query");
    const hidden = await hiddenDelegates(services, c.get("caller"));
    const found = registry
      .list()
      .filter(({ id }) => !hidden.has(id))
      .filter(matches(filter))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const after = cursor === undefined ? undefined : idInCursor(cursor);
    if (cursor !== undefined && after === undefined)
      return problem(c, fail("cursor_invalid", { cursor }).failure);
    const rest = after === undefined ? found : found.filter(({ id }) => id > after);
    const items = rest.slice(0, limit).map(capabilityDto);
    const last = rest.length > limit ? items.at(-1) : undefined;
    const next_cursor = last && cursorAfter(last.id);
    return c.json({ items, total: found.length, next_cursor }, 200);
  });
  routes.openapi(getRoute, async (c) => {
    const { id } = c.req.valid("param");
    const found = registry.get(id);
    if (!found.ok) return problem(c, { ...found.failure, status: 404 });
    if ((await hiddenDelegates(services, c.get("caller"))).has(id))
      return problem(c, fail("not_found", { what: "capability", id }).failure);
    const sharedTo = await sharedToCaller(services.sharing, c.get("caller"));
    return c.json({ ...capabilityDetail(found.value), used_by: await agents.using(id, { sharedTo }) }, 200);
  });
  routes.openapi(registerRoute, async (c) => {
    const { email } = c.get("caller");
    const force = c.req.valid("query").force === "true";
    const saved = await registerDocument(services, c.req.valid("json"), { by: email, force });
    if (!saved.ok) return problem(c, saved.failure);
    const { capability, created, broken } = saved.value;
    await services.audit.add({
      actor: email,
      action: "capability.registered",
      subject: capability.id,
      details: { version: capability.version },
    });
    return c.json(
      { ...capabilityDetail(capability), used_by: await agents.using(capability.id), broken: [...broken] },
      created ? 201 : 200,
    );
  });
  routes.openapi(removeRoute, async (c) => {
    const { id } = c.req.valid("param");
    const gone = await removeDocument(services, id, { force: c.req.valid("query").force === "true" });
    if (!gone.ok) return problem(c, gone.failure);
    await services.audit.add({ actor: c.get("caller").email, action: "capability.removed", subject: id });
    return gone.value.length > 0 ? c.json({ id, broken: [...gone.value] }, 200) : c.body(null, 204);
  });
  routes.openapi(runRoute, async (c) => {
    const { id, tool } = c.req.valid("param");
    const known = await knownTo(services, id, c.get("caller"));
    if (!known.ok) return problem(c, { ...known.failure, status: 404 });
    const answer = await runOneTool(
      services,
      c.get("caller"),
      { capabilityId: id, tool, ...c.req.valid("json"), traceparent: traceParent(c) },
      c.req.raw.signal,
    );
    if (answer.callId !== undefined) c.header(CALL_ID_HEADER, answer.callId);
    if (answer.kind === "refused") return problem(c, answer.failure);
    if (answer.kind === "approval") return c.json({ approval_id: answer.approvalId }, 202);
    return c.json({ output: answer.output as unknown, duration_ms: answer.durationMs }, 200);
  });
  return routes;
}

/** An agent that this person may not see is not a capability for them. */
const knownTo = async (
  { composer, registry }: Pick<CapabilityRouteParts, "composer" | "registry">,
  id: string,
  { email }: Caller,
): Promise<Result<Capability>> =>
  (await composer.knows(id, email)) ? registry.get(id) : fail("capability_unknown", { id, nearest: [] });

const cursorAfter = (id: string): string => Buffer.from(`capability ${id}`).toString("base64url");
const idInCursor = (cursor: string): string | undefined =>
  /^capability ([\w.:@/-]{1,200})$/.exec(Buffer.from(cursor, "base64url").toString())?.[1];

type Filter = Omit<z.output<typeof CapabilityQuery>, "limit" | "cursor">;

function matches(filter: Filter): (capability: Capability) => boolean {
  const text = filter.q?.toLowerCase();
  return ({ id, name, description, status, category, source }) =>
    (filter.status === undefined || filter.status === status) &&
    (filter.category === undefined || filter.category.toLowerCase() === category?.toLowerCase()) &&
    (filter.source === undefined || filter.source === source) &&
    (text === undefined || `${id}\n${name}\n${description}`.toLowerCase().includes(text));
}

function capabilityDto({ id, name, description, status, icon, category, version, source, risk }: Capability) {
  return {
    id,
    name,
    description,
    status,
    ...(icon !== undefined && { icon }),
    ...(category !== undefined && { category }),
    version,
    source,
    risk,
  };
}

export function capabilityDetail(capability: Capability): Omit<CapabilityDetail, "used_by"> {
  const { systemPrompt, documentation, hooks } = capability;
  return {
    ...capabilityDto(capability),
    ...(systemPrompt !== undefined && { system_prompt: systemPrompt }),
    tools: capability.tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      policy: tool.policy,
      input_schema: { ...tool.input.jsonSchema },
      ...(tool.output && { output_schema: { ...tool.output.jsonSchema } }),
      required_scopes: [...tool.scopes],
      requires_context: tool.requiresContext,
      timeout_ms: tool.timeoutMs,
      idempotent: tool.idempotent,
      ...flowDto(tool),
      ...unavailable(tool),
    })),
    dependencies: [...capability.dependencies],
    required_scopes: [...capability.requiredScopes],
    ...(capability.config && { config_schema: { ...capability.config.jsonSchema } }),
    policies: { ...capability.policies },
    hooks: (["beforeCall", "afterCall"] as const).filter((name) => hooks?.[name] !== undefined),
    routing: asWire<RoutingWire>({ ...capability.routing }),
    ...(documentation && {
      documentation: {
        ...(documentation.usage !== undefined && { usage: documentation.usage }),
        ...(documentation.examples && { examples: [...documentation.examples] }),
      },
    }),
  };
}

function unavailable(tool: AnyTool): { unavailable?: string } {
  const why = whyUnavailable(tool);
  return why === undefined ? {} : { unavailable: why };
}

/** Agents that others delegate to are capabilities too; those that the caller may not see are left out. */
export async function hiddenDelegates(
  { registry, sharing }: Pick<CapabilityRouteParts, "registry" | "sharing">,
  caller: Caller,
): Promise<ReadonlySet<string>> {
  const hidden = new Set<string>();
  if (seesAll(caller)) return hidden;
  for (const { id } of registry.list()) {
    const agentId = delegateIdOf(id);
    if (agentId === undefined) continue;
    const rights = await sharing.rightsOf(agentId, { email: caller.email, isAdmin: false });
    if (rights.length === 0) hidden.add(id);
  }
  return hidden;
}
