/**
 * The OpenAPI document, complete enough for generators: each operation has an id, who may call it, and its problem
 * response. Anything the routes do not declare themselves is added here.
 */
import { Problem } from "@capstan/client/wire";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../http/define-route.ts";
import { VERSION } from "../settings/version.ts";

const CONFIG = {
  openapi: "3.1.0",
  info: {
    title: "Capstan",
    version: VERSION,
    description: "One capability layer for every agent: compose, discover, route, install and delegate.",
    license: { name: "MIT", identifier: "MIT" },
  },
  servers: [{ url: "/", description: "The server that serves this document." }],
};

const METHODS = ["get", "put", "post", "delete", "patch"] as const;
const REFUSALS: Readonly<Record<string, string>> = {
  "401": "The key is missing or unknown.",
  "403": "The key lacks the right.",
  "422": "The input is not valid; every fault is listed.",
  default: "Any other refusal.",
};

export type ApiDocument = ReturnType<OpenAPIHono<AppEnv>["getOpenAPI31Document"]>;

export function apiDocument(app: OpenAPIHono<AppEnv>): ApiDocument {
  const { openAPIRegistry: registry } = app;
  registry.registerComponent("securitySchemes", "key", {
    type: "http",
    scheme: "bearer",
    description: "An API key (`capstan keys create`). Not required on this machine.",
  });
  registry.register("Problem", Problem);
  const document = app.getOpenAPI31Document(CONFIG);
  for (const [path, operations] of Object.entries(document.paths ?? {}))
    for (const method of METHODS) {
      const operation = operations[method];
      if (!operation) continue;
      operation.operationId ??= operationId(method, path);
      const right: unknown = Reflect.get(operation, "x-capstan-right");
      operation.security ??= right === undefined || right === "none" ? [{}] : [{ key: [] }, {}];
      operation.responses = { ...refusals(), ...operation.responses };
    }
  return document;
}

const refusals = () =>
  Object.fromEntries(
    Object.entries(REFUSALS).map(([status, description]) => [
      status,
      {
        description,
        content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    ]),
  );

/** For protocol routes, which are described by hand: `getOpenaiV1Models`. */
const operationId = (method: string, path: string): string =>
  method +
  path
    .split(/[^a-zA-Z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
