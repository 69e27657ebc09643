/**
 * Gives a tool to a capability that declares an external address and no tool: its steps call that address through the guarded
 * fetch and the gate. Its input is `routing.input`; constants are always sent.
 */
import type { AnyTool, Capability, JsonSchema, Result, RoutingHints } from "@capstan/core";
import { ok } from "@capstan/core";
import { defaultStyle, type HttpParameter } from "./http-parameters.ts";
import { httpTool } from "./http-tool.ts";
import { foreignSchema } from "./json-schema.ts";
import type { BoundSecrets } from "./secrets.ts";

const TIMEOUT_MS = 30_000;
const IN_QUERY = new Set(["GET", "DELETE"]);

/** The capability unchanged, unless it lacks a tool for its address. */
export function withRouteTool(capability: Capability, settings?: BoundSecrets): Result<Capability> {
  const { tools, routing } = capability;
  const url = tools.length > 0 ? null : absolute(routing?.route);
  if (!routing || !url) return ok(capability);
  const tool = routeTool(capability, routing, url, settings);
  return tool.ok ? ok({ ...capability, tools: [tool.value] }) : tool;
}

const absolute = (route: string | undefined): URL | null =>
  route !== undefined && /^https?:\/\//i.test(route) ? URL.parse(route) : null;

function routeTool(
  { id, description }: Capability,
  { method = "POST", input, payload = {} }: RoutingHints,
  url: URL,
  settings: BoundSecrets | undefined,
): Result<AnyTool> {
  const schema = inputOf(input ?? usualInput(method), payload);
  const checked = foreignSchema(schema, { defaults: true, compileNow: true });
  if (!checked.ok) return checked;
  const path = decodeURI(url.pathname);
  const names = Object.keys(schema.properties);
  const inPath = names.filter((name) => path.includes(`{${name}}`));
  const rest = names.filter((name) => !inPath.includes(name));
  const parameter = (place: "path" | "query") => (name: string) => parameterOf(name, place);
  return ok(
    httpTool({
      name: id.replaceAll(/[^\w-]/g, "_"),
      description,
      input: checked.value,
      policy: "auto",
      scopes: [],
      timeoutMs: TIMEOUT_MS,
      idempotent: method !== "POST" && method !== "PATCH",
      settings,
      operation: {
        method,
        server: url.origin,
        path,
        headers: {},
        query: Object.fromEntries(url.searchParams),
        parameters: [
          ...inPath.map(parameter("path")),
          ...(IN_QUERY.has(method) ? rest.map(parameter("query")) : []),
        ],
        ...(!IN_QUERY.has(method) && {
          body: {
            contentType: "application/json",
            content: rest.map((name) => ({ argument: name, name })),
          },
        }),
      },
    }),
  );
}

/** The specification's default mapping of a task's text. */
const usualInput = (method: string): JsonSchema => {
  const name = IN_QUERY.has(method) ? "query" : "prompt";
  return { type: "object", properties: { [name]: { type: "string", minLength: 1 } }, required: [name] };
};

function inputOf(declared: JsonSchema, payload: NonNullable<RoutingHints["payload"]>) {
  const constants = Object.entries(payload).map(([name, value]) => [name, { const: value, default: value }]);
  const properties: Record<string, unknown> = {
    ...(declared.properties as Record<string, unknown> | undefined),
    ...Object.fromEntries(constants),
  };
  return { ...declared, type: "object", properties };
}

function parameterOf(name: string, place: "path" | "query"): HttpParameter {
  return { argument: name, name, in: place, style: defaultStyle(place), explode: place === "query" };
}
