/**
 * An OpenAPI 3.0 or 3.1 document as one capability with one tool per operation.
 *
 * Approval is only required where something changes: GET, HEAD and OPTIONS run by themselves, every other
 * method is `approve` until the agent's operator loosens it. OAuth scopes of operations become the tools' scopes.
 */
import {
  type AnyTool,
  type Capability,
  fail,
  ok,
  type Result,
  type Schema,
  type ToolPolicy,
} from "@capstan/core";
import { CHOOSES_HOST, declaredFlow, flowIn } from "@capstan/core/internal";
import { parseYaml } from "./declarative.ts";
import { isDeed } from "./deeds.ts";
import type { HttpMethod } from "./http-request.ts";
import { httpTool } from "./http-tool.ts";
import { foreignSchema } from "./json-schema.ts";
import { isRecord, type JsonRecord, listOf, OpenApiDocument, textOf } from "./openapi-document.ts";
import { capabilityId, semverOf, UniqueNames } from "./openapi-names.ts";
import { type FoundOperation, readOperation, takesIdempotencyKey } from "./openapi-operation.ts";
import { short } from "./openapi-schema.ts";
import { operationSecurity, type SecurityScheme, securitySchemes } from "./openapi-security.ts";
import { readServer, type ServerVariable } from "./openapi-server.ts";
import type { BoundSecrets } from "./secrets.ts";

const JSON_CHARS = 64_000_000;
const YAML_CHARS = 8_000_000; // YAML takes seconds per megabyte; larger documents are JSON in practice
const OPERATIONS = 20_000;
const DESCRIPTION_CHARS = 1_000;
const TIMEOUT_MS = 60_000;

export interface OpenApiOptions {
  /** The capability's id; default: the document's title. */
  readonly id?: string | undefined;
  /** The document's URL: relative server addresses are resolved against it. */
  readonly origin?: string | undefined;
  /** Replaces the servers that the document names. */
  readonly server?: string | undefined;
  /** Only operations with one of these tags or operation ids. */
  readonly only?: readonly string[] | undefined;
  readonly settings?: BoundSecrets | undefined;
}

export function loadOpenApi(text: string, options: OpenApiOptions = {}): Result<Capability> {
  const document = parseText(text);
  return document.ok ? readOpenApi(document.value, options) : document;
}

function parseText(text: string): Result<unknown> {
  if (!/^\s*\{/.test(text)) return parseYaml(text, YAML_CHARS);
  if (text.length > JSON_CHARS) {
    return fail("openapi_invalid", { why: `it has ${text.length} characters; the limit is ${JSON_CHARS}` });
  }
  try {
    return ok(JSON.parse(text) as unknown);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return fail("openapi_invalid", { why: `it is not JSON: ${why}` });
  }
}

export function readOpenApi(source: unknown, options: OpenApiOptions = {}): Result<Capability> {
  const why = notOpenApi(source);
  if (why !== undefined) return fail("openapi_invalid", { why });
  const document = new OpenApiDocument(source as JsonRecord);
  const operations = findOperations(document, options.only);
  if (operations.length === 0) return fail("openapi_invalid", { why: "it has no operations" });
  if (operations.length > OPERATIONS) {
    return fail("openapi_invalid", {
      why: `it has ${operations.length} operations; the limit is ${OPERATIONS}`,
    });
  }
  return ok(new Reader(document, options).capability(operations));
}

function notOpenApi(source: unknown): string | undefined {
  if (!isRecord(source)) return "it is not an object";
  if (typeof source.swagger === "string") {
    return `it is Swagger ${source.swagger}; convert it to OpenAPI 3 first`;
  }
  const version = String(source.openapi ?? "");
  if (!/^3\.[0-2]\b/.test(version)) return `"openapi" is "${version}", but 3.0 or 3.1 is required`;
  return isRecord(source.paths) ? undefined : "it has no paths";
}

const METHODS: readonly HttpMethod[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

function findOperations(document: OpenApiDocument, only: readonly string[] | undefined): FoundOperation[] {
  const wanted = only && new Set(only);
  const found: FoundOperation[] = [];
  for (const [path, value] of Object.entries(document.root.paths as JsonRecord)) {
    const pathItem = document.resolve(value);
    if (!pathItem || !path.startsWith("/")) continue;
    for (const method of METHODS) {
      const operation = document.resolve(pathItem[method.toLowerCase()]);
      if (operation && isWanted(operation, wanted)) found.push({ method, path, pathItem, operation });
    }
  }
  return found;
}

function isWanted(operation: JsonRecord, wanted: ReadonlySet<string> | undefined): boolean {
  if (!wanted) return true;
  return [operation.operationId, ...listOf(operation.tags)].some((name) => wanted.has(String(name)));
}

const SAFE = new Set<HttpMethod>(["GET", "HEAD", "OPTIONS"]);
const POLICIES = new Set<unknown>(["auto", "approve", "deny"]);

class Reader {
  readonly #document: OpenApiDocument;
  readonly #options: OpenApiOptions;
  readonly #schemes: Map<string, SecurityScheme>;
  readonly #names = new UniqueNames();
  readonly #usedSchemes = new Set<string>();
  readonly #variables = new Map<string, ServerVariable>();
  readonly #hosts = new Set<string>();

  constructor(document: OpenApiDocument, options: OpenApiOptions) {
    this.#document = document;
    this.#options = options;
    this.#schemes = securitySchemes(document);
  }

  capability(operations: readonly FoundOperation[]): Capability {
    const info = this.#document.resolve(this.#document.root.info) ?? {};
    const title = textOf(info.title)?.trim() || "API";
    const withKey = new Set(operations.filter((found) => takesIdempotencyKey(this.#document, found)));
    const tools = operations.map((found) => this.#tool(found, withKey.size > 0 && !withKey.has(found)));
    const config = this.#config();
    const about = short(textOf(info.description) ?? "", DESCRIPTION_CHARS);
    return {
      id: this.#options.id ?? capabilityId(title),
      name: title.slice(0, 100),
      description: about === "" ? `The operations of ${title}.` : about,
      status: "available",
      version: semverOf(info.version),
      source: "http",
      risk: operations.every(({ method }) => SAFE.has(method)) ? "low" : "medium",
      category: "API",
      systemPrompt: `The tools of "${title.slice(0, 100)}" call its web service.`,
      tools,
      dependencies: [],
      requiredScopes: [],
      ...(config && { config }),
      routing: { tags: this.#tags(), allow: { hosts: [...this.#hosts], routes: [] } },
      documentation: {
        usage: `OpenAPI ${String(this.#document.root.openapi)}, version ${String(info.version)}.`,
      },
    };
  }

  #tool(found: FoundOperation, withoutKey: boolean): AnyTool {
    const { method, path, operation } = found;
    const read = readOperation(this.#document, found);
    const security = operationSecurity(this.#document, operation, this.#schemes);
    for (const name of security.schemes) this.#usedSchemes.add(name);
    const server = readServer(this.#document, found, this.#options);
    for (const variable of server.variables) {
      const isInHost = variable.isInHost || this.#variables.get(variable.name)?.isInHost === true;
      this.#variables.set(variable.name, { ...variable, isInHost });
    }
    if (server.host !== undefined) this.#hosts.add(server.host);
    return httpTool({
      name: this.#names.choose(textOf(operation.operationId) ?? `${method.toLowerCase()} ${path}`),
      description: describe(found),
      input: read.input,
      policy: policyOf(found),
      scopes: security.scopes,
      connections: security.accounts(server.template),
      timeoutMs: TIMEOUT_MS,
      idempotent: method !== "POST" && method !== "PATCH" && !isSafeDeed(found),
      ...(isSafeDeed(found) && { risk: "write" as const }),
      ...declaredFlow(flowIn(operation["x-capstan-reads"], operation["x-capstan-writes"])),
      settings: this.#options.settings,
      operation: {
        method,
        path: read.path,
        parameters: read.parameters,
        server: server.template,
        headers: {},
        query: {},
        credentials: security.alternatives,
        withoutKey,
        ...(read.body && { body: read.body }),
      },
    });
  }

  /** Every secret is optional: which one is needed depends on the operation, and the server's settings may have it. */
  #config(): Schema | undefined {
    const secrets = [...this.#usedSchemes].flatMap((name) => this.#schemes.get(name)?.fields ?? []);
    const properties = [
      ...secrets.map(({ name, description }) => [
        name,
        { type: "string", description, writeOnly: true, format: "password" },
      ]),
      ...[...this.#variables.values()].map(({ name, isInHost, ...schema }) => [
        name,
        { type: "string", ...schema, ...(isInHost && { [CHOOSES_HOST]: true }) },
      ]),
    ];
    if (properties.length === 0) return undefined;
    const schema = foreignSchema(
      { type: "object", properties: Object.fromEntries(properties), additionalProperties: false },
      { defaults: true },
    );
    return schema.ok ? schema.value : undefined;
  }

  #tags(): string[] {
    const tags = listOf(this.#document.root.tags).map((tag) =>
      isRecord(tag) ? textOf(tag.name) : undefined,
    );
    return tags.filter((tag) => tag !== undefined).slice(0, 50);
  }
}

function describe({ method, path, operation }: FoundOperation): string {
  const summary = textOf(operation.summary)?.trim() ?? "";
  const description = textOf(operation.description)?.trim() ?? "";
  const repeated = description.startsWith(summary.replace(/\.$/, ""));
  const text = short(
    repeated ? description : `${summary}${/[.!?]$/.test(summary) ? "" : "."} ${description}`,
    DESCRIPTION_CHARS,
  );
  const deprecated = operation.deprecated === true ? "Deprecated. " : "";
  return `${deprecated}${text === "." ? "" : `${text} `}(${method} ${path})`;
}

/** A document may set its own policy with `x-capstan-policy`. */
function policyOf(found: FoundOperation): ToolPolicy {
  const own = found.operation["x-capstan-policy"];
  if (POLICIES.has(own)) return own as ToolPolicy;
  return SAFE.has(found.method) && !isSafeDeed(found) ? "auto" : "approve";
}

/** A GET that does something: it writes, whatever its method says. */
const isSafeDeed = ({ method, path, operation }: FoundOperation): boolean =>
  SAFE.has(method) &&
  isDeed({ path, operationId: textOf(operation.operationId), summary: textOf(operation.summary) });
