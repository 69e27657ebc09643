/**
 * A declarative capability: a YAML or JSON document becomes a `Capability` whose tools are HTTP calls.
 *
 * All faults are reported at once, each with its path. Tools only call the server named by `base_url`.
 */
import {
  type AnyTool,
  type Capability,
  fail,
  type JsonSchema,
  ok,
  type Result,
  type RoutingHints,
  type Schema,
} from "@capstan/core";
import { declaredFlow, type Fault, readInput } from "@capstan/core/internal";
import { parseDocument } from "yaml";
import {
  DeclarativeDocument,
  type DeclarativeParameter,
  type DeclarativeTool,
} from "./declarative-document.ts";
import type { HttpBody } from "./http-body.ts";
import { defaultStyle, type HttpParameter } from "./http-parameters.ts";
import { httpTool } from "./http-tool.ts";
import { foreignSchema } from "./json-schema.ts";
import { type BoundSecrets, badReference } from "./secrets.ts";

const TEXT_CHARS = 1_000_000;
const ALIASES = 100; // YAML aliases can grow exponentially; a normal document has a few

const OPENAPI_INSTEAD =
  "is an OpenAPI document: install it with `capstan install <file>`, or post it to /v1/packages/review and then to /v1/packages";

const isRecord = (value: unknown): value is object => typeof value === "object" && value !== null;

export interface DeclarativeOptions {
  /** Secrets of the server's settings, for agents whose config does not set them. */
  readonly settings?: BoundSecrets;
}

/** JSON is YAML, so one parser reads both. */
export function loadDeclarative(text: string, options: DeclarativeOptions = {}): Result<Capability> {
  const document = parseYaml(text);
  return document.ok ? readDeclarative(document.value, options) : document;
}

export function readDeclarative(source: unknown, options: DeclarativeOptions = {}): Result<Capability> {
  if (isRecord(source) && ("openapi" in source || "swagger" in source))
    return fail("document_invalid", { faults: [{ path: "", message: OPENAPI_INSTEAD }] });
  const read = readInput(DeclarativeDocument, source);
  if (!read.ok) return fail("document_invalid", { faults: read.faults });
  const document = read.value;
  const faults = [...documentFaults(document)];
  const config = configSchema(document);
  if (!config.ok) faults.push({ path: "config", message: config.failure.message });
  const tools = document.tools.map((tool, at) => readTool(document, tool, `tools[${at}]`, options, faults));
  if (faults.length > 0 || !config.ok) return fail("document_invalid", { faults });
  return ok(
    capability(
      document,
      tools.filter((tool) => tool !== undefined),
      config.value,
    ),
  );
}

export function parseYaml(text: string, limitChars: number = TEXT_CHARS): Result<unknown> {
  const refuse = (message: string) => fail("document_invalid", { faults: [{ path: "", message }] });
  if (text.length > limitChars) return refuse(`has ${text.length} characters; the limit is ${limitChars}`);
  try {
    const document = parseDocument(text, { merge: false, uniqueKeys: true, prettyErrors: true });
    const [error] = document.errors;
    if (error?.code === "MULTIPLE_DOCS") return refuse("has several documents; send one at a time");
    if (error) return refuse(`cannot be read: ${error.message.split("\n")[0]}`);
    const value: unknown = document.toJS({ maxAliasCount: ALIASES });
    return namesPrototype(value) ? refuse('has a key "__proto__", which names no field') : ok(value);
  } catch (error) {
    return refuse(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The parser would drop this key silently. */
function namesPrototype(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(namesPrototype);
}

function capability(document: DeclarativeDocument, tools: AnyTool[], config: Schema | undefined): Capability {
  const { id, name, description, version, status, icon, category, prompt, documentation } = document;
  const readsOnly = document.tools.every(({ method }) => method === "GET" || method === "HEAD");
  return {
    id,
    name,
    description,
    version,
    status,
    tools,
    source: "declarative",
    risk: document.risk ?? (readsOnly ? "low" : "medium"),
    dependencies: document.dependencies,
    requiredScopes: document.scopes,
    ...(document.connections.length > 0 && { connections: document.connections }),
    ...(icon !== undefined && { icon }),
    ...(category !== undefined && { category }),
    ...(prompt !== undefined && { systemPrompt: prompt.trim() }),
    ...(config && { config }),
    ...(documentation && { documentation: given(documentation) }),
    routing: routing(document),
  };
}

function routing({
  triggers,
  tags,
  domain,
  actions,
  chat_patterns,
  routable,
  base_url,
}: DeclarativeDocument): RoutingHints {
  return {
    triggers,
    tags,
    actions,
    chatPatterns: chat_patterns,
    ...(domain !== undefined && { domain }),
    ...(!routable && { routable }),
    allow: { hosts: base_url === undefined ? [] : [new URL(base_url).host], routes: [] },
  };
}

function* documentFaults(document: DeclarativeDocument): Generator<Fault> {
  if (document.tools.length > 0 && document.base_url === undefined) {
    yield { path: "base_url", message: "is required by the tools" };
  }
  const url = document.base_url === undefined ? undefined : new URL(document.base_url);
  if (url?.username || url?.password || url?.hash) {
    yield { path: "base_url", message: `must not contain a password or a #part; use headers and \${NAME}` };
  }
  const names = new Set<string>();
  for (const [at, { name }] of document.tools.entries()) {
    if (names.has(name)) yield { path: `tools[${at}].name`, message: `"${name}" is used twice` };
    names.add(name);
  }
  yield* referenceFaults("headers", document.headers);
  yield* referenceFaults("query", document.query);
}

function* referenceFaults(path: string, texts: Readonly<Record<string, string>>): Generator<Fault> {
  for (const [key, text] of Object.entries(texts)) {
    const bad = badReference(text);
    if (bad !== undefined)
      yield { path: `${path}.${key}`, message: `contains ${bad}, which is not a valid \${NAME}` };
  }
}

/** Secret fields are write-only, so that whoever displays a config knows what to hide. */
function configSchema({ config }: DeclarativeDocument): Result<Schema | undefined> {
  const fields = Object.entries(config);
  if (fields.length === 0) return ok(undefined);
  const properties = fields.map(([name, { secret, required: _, ...schema }]) => [
    name,
    { ...schema, ...(secret && { writeOnly: true, format: "password" }) },
  ]);
  return foreignSchema(
    {
      type: "object",
      properties: Object.fromEntries(properties),
      required: fields.filter(([, field]) => field.required).map(([name]) => name),
      additionalProperties: false,
    },
    { defaults: true, compileNow: true },
  );
}

function readTool(
  document: DeclarativeDocument,
  tool: DeclarativeTool,
  path: string,
  options: DeclarativeOptions,
  faults: Fault[],
): AnyTool | undefined {
  faults.push(...referenceFaults(`${path}.headers`, tool.headers));
  faults.push(...referenceFaults(`${path}.query`, tool.query));
  faults.push(...pathFaults(tool, path));
  const input = inputSchema(tool);
  if (!input.ok) {
    faults.push({ path: `${path}.parameters`, message: input.failure.message });
    return undefined;
  }
  const { name, description, method, scopes } = tool;
  const repeats = method !== "POST" && method !== "PATCH";
  return httpTool({
    name,
    description,
    scopes,
    input: input.value,
    pick: tool.pick,
    settings: options.settings,
    policy: tool.policy ?? (method === "DELETE" || document.risk === "high" ? "approve" : "auto"),
    timeoutMs: tool.timeout_seconds * 1000,
    idempotent: tool.idempotent ?? repeats,
    ...declaredFlow(tool),
    operation: {
      method,
      server: document.base_url ?? "",
      path: tool.path,
      headers: { ...document.headers, ...tool.headers },
      query: { ...document.query, ...tool.query },
      parameters: Object.entries(tool.parameters).flatMap(([argument, parameter]) =>
        httpParameter(tool, argument, parameter),
      ),
      ...bodyOf(tool),
    },
  });
}

function* pathFaults(tool: DeclarativeTool, path: string): Generator<Fault> {
  const named = [...tool.path.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name);
  const wireNames = Object.entries(tool.parameters)
    .filter(([argument, parameter]) => placeOf(tool, argument, parameter) === "path")
    .map(([argument, { name = argument }]) => name);
  for (const name of named) {
    if (!wireNames.includes(name)) {
      yield { path: `${path}.path`, message: `names {${name}}, which is not a parameter` };
    }
  }
  for (const name of wireNames) {
    if (!named.includes(name)) {
      yield { path: `${path}.parameters.${name}`, message: "is in the path, which does not name it" };
    }
  }
}

const WITH_BODY = new Set(["POST", "PUT", "PATCH"]);

function placeOf(
  tool: DeclarativeTool,
  argument: string,
  { in: place, name = argument }: DeclarativeParameter,
) {
  if (place) return place;
  if (tool.path.includes(`{${name}}`)) return "path";
  return WITH_BODY.has(tool.method) ? "body" : "query";
}

function httpParameter(
  tool: DeclarativeTool,
  argument: string,
  parameter: DeclarativeParameter,
): HttpParameter[] {
  const place = placeOf(tool, argument, parameter);
  if (place === "body") return [];
  const { name = argument } = parameter;
  return [{ argument, name, in: place, style: defaultStyle(place), explode: place === "query" }];
}

function bodyOf(tool: DeclarativeTool): { body?: HttpBody } {
  const fields = Object.entries(tool.parameters)
    .filter(([argument, parameter]) => placeOf(tool, argument, parameter) === "body")
    .map(([argument, { name = argument }]) => ({ argument, name }));
  if (fields.length === 0) return {};
  const contentType = tool.body === "form" ? "application/x-www-form-urlencoded" : "application/json";
  return { body: { contentType, content: fields } };
}

function inputSchema(tool: DeclarativeTool): Result<Schema> {
  const entries = Object.entries(tool.parameters);
  const properties = entries.map(([name, { in: _in, name: _name, required: _required, ...schema }]) => [
    name,
    schema as JsonSchema,
  ]);
  const required = entries
    .filter(([name, parameter]) => parameter.required ?? placeOf(tool, name, parameter) === "path")
    .map(([name]) => name);
  return foreignSchema(
    { type: "object", properties: Object.fromEntries(properties), required, additionalProperties: false },
    { defaults: true, compileNow: true },
  );
}

/** Without undefined keys: absent is not the same as undefined to a reader. */
function given(documentation: { usage?: string | undefined; examples?: string[] | undefined }) {
  const { usage, examples } = documentation;
  return { ...(usage !== undefined && { usage }), ...(examples !== undefined && { examples }) };
}
