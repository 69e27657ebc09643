/** One operation of an OpenAPI document: where each argument goes, and one schema for all of them. */
import { type JsonSchema, ok, type Schema } from "@capstan/core";
import type { BodyField, HttpBody } from "./http-body.ts";
import {
  defaultStyle,
  type HttpParameter,
  type ParameterPlace,
  type ParameterStyle,
} from "./http-parameters.ts";
import type { HttpMethod } from "./http-request.ts";
import { foreignSchema } from "./json-schema.ts";
import { isRecord, type JsonRecord, listOf, type OpenApiDocument, textOf } from "./openapi-document.ts";
import { UniqueNames } from "./openapi-names.ts";
import { SchemaBuilder, short } from "./openapi-schema.ts";

export interface FoundOperation {
  readonly method: HttpMethod;
  readonly path: string;
  readonly pathItem: JsonRecord;
  readonly operation: JsonRecord;
}

export interface ReadOperation {
  readonly path: string;
  readonly parameters: readonly HttpParameter[];
  readonly body: HttpBody | undefined;
  readonly input: Schema;
}

interface Argument {
  readonly name: string;
  readonly schema: unknown;
  readonly required: boolean;
  readonly note?: string;
}

export function readOperation(document: OpenApiDocument, found: FoundOperation): ReadOperation {
  const names = new UniqueNames();
  const [path = "/"] = found.path.split("#"); // some documents distinguish operations by a fragment that is never sent
  const args: Argument[] = [];
  const parameters = [...declaredParameters(document, found), ...undeclaredInPath(document, found, path)].map(
    (parameter) => readParameter(document, parameter, names, args),
  );
  const body = readBody(document, found.operation, names, args);
  return { path, parameters, body, input: lazySchema(document, args) };
}

const PLACES = new Set(["path", "query", "header", "cookie"]);
/** Ignored as the standard says: they belong to the connection, the body and the security schemes. */
const IGNORED_HEADERS = new Set(["accept", "content-type", "authorization"]);

/** The operation's own, then those of its path that it does not override. */
function declaredParameters(document: OpenApiDocument, { operation, pathItem, path }: FoundOperation) {
  const byPlace = new Map<string, JsonRecord>();
  for (const value of [...listOf(operation.parameters), ...listOf(pathItem.parameters)]) {
    const parameter = document.resolve(value);
    const name = textOf(parameter?.name);
    const place = textOf(parameter?.in);
    if (!parameter || name === undefined || place === undefined || !PLACES.has(place)) continue;
    if (place === "header" && IGNORED_HEADERS.has(name.toLowerCase())) continue;
    if (place === "path" && !path.includes(`{${name}}`)) continue;
    const key = `${place} ${name}`;
    if (!byPlace.has(key)) byPlace.set(key, parameter);
  }
  return [...byPlace.values()];
}

/** Some APIs refuse the header where it has no effect; their documents say where it has one. */
export const takesIdempotencyKey = (document: OpenApiDocument, found: FoundOperation): boolean =>
  declaredParameters(document, found).some(
    (parameter) => parameter.in === "header" && textOf(parameter.name)?.toLowerCase() === "idempotency-key",
  );

/** Documents sometimes do not declare path parameters; they are required anyway. */
function undeclaredInPath(document: OpenApiDocument, found: FoundOperation, path: string): JsonRecord[] {
  const declared = new Set(
    declaredParameters(document, found)
      .filter((parameter) => parameter.in === "path")
      .map(({ name }) => name),
  );
  const named = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name);
  return [...new Set(named)]
    .filter((name) => !declared.has(name))
    .map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
}

function readParameter(
  document: OpenApiDocument,
  parameter: JsonRecord,
  names: UniqueNames,
  args: Argument[],
): HttpParameter {
  const name = String(parameter.name);
  const place = parameter.in as ParameterPlace;
  const argument = names.choose(name, `${place}_${name}`);
  const [content] = isRecord(parameter.content) ? Object.values(parameter.content) : [];
  const schema = parameter.schema ?? document.resolve(content)?.schema;
  const about = textOf(parameter.description);
  args.push({
    name: argument,
    schema,
    required: parameter.required === true || place === "path",
    ...(about !== undefined && { note: about }),
  });
  const style = (textOf(parameter.style) as ParameterStyle | undefined) ?? defaultStyle(place);
  const explode = typeof parameter.explode === "boolean" ? parameter.explode : style === "form";
  return { argument, name, in: place, style, explode, ...(content !== undefined && { asJson: true }) };
}

/** In order of preference: the first one offered is sent. */
const BODY_TYPES = [
  /^application\/json\b/i,
  /[/+]json\b/i,
  /^application\/x-www-form-urlencoded\b/i,
  /^multipart\/form-data\b/i,
  /^text\//i,
  /./,
];

function readBody(
  document: OpenApiDocument,
  operation: JsonRecord,
  names: UniqueNames,
  args: Argument[],
): HttpBody | undefined {
  const body = document.resolve(operation.requestBody);
  const contents = isRecord(body?.content) ? Object.entries(body.content) : [];
  const [contentType = "", media] =
    BODY_TYPES.map((wanted) => contents.find(([type]) => wanted.test(type))).find(Boolean) ?? [];
  if (!body || contentType === "") return undefined;
  const mediaType = document.resolve(media);
  const schema = document.resolve(mediaType?.schema);
  const required = body.required === true;
  if (schema && isFlat(schema, required, contentType)) {
    return { contentType: plain(contentType), content: bodyFields(document, schema, mediaType, names, args) };
  }
  const isFile = isBinary(schema) || (!isStructured(contentType) && !contentType.startsWith("text/"));
  const argument = names.choose("body", "request_body");
  args.push({
    name: argument,
    required,
    schema: isFile ? { type: "string" } : mediaType?.schema,
    note: isFile ? FILE_NOTE : (textOf(body.description) ?? ""),
  });
  return { contentType: plain(contentType), content: { argument, isFile } };
}

const FILE_NOTE = "The path of a session file whose content is sent, such as /docs/report.pdf.";
const isStructured = (contentType: string) =>
  /[/+]json\b|^application\/x-www-form-urlencoded|^multipart\//i.test(contentType);
/** `*` and parameters such as charset are for matching, not for sending. */
const plain = (contentType: string) =>
  contentType.includes("*")
    ? "application/json"
    : (contentType.split(";")[0]?.trim().toLowerCase() ?? contentType);
const isBinary = (schema: JsonRecord | undefined) =>
  schema?.type === "file" || schema?.format === "binary" || textOf(schema?.contentMediaType) !== undefined;

/** The fields of a flat object become separate arguments; anything with alternatives stays one argument. */
function isFlat(schema: JsonRecord, required: boolean, contentType: string): boolean {
  const form = /x-www-form-urlencoded|multipart/i.test(contentType);
  const hasFields = isRecord(schema.properties) && Object.keys(schema.properties).length > 0;
  const choices = ["allOf", "anyOf", "oneOf", "not", "if"].some((word) => word in schema);
  const open = isRecord(schema.additionalProperties) || schema.additionalProperties === true;
  const canBeLeftOut = required || listOf(schema.required).length === 0;
  return hasFields && (form || (!choices && !open && canBeLeftOut));
}

function bodyFields(
  document: OpenApiDocument,
  schema: JsonRecord,
  mediaType: JsonRecord | undefined,
  names: UniqueNames,
  args: Argument[],
): BodyField[] {
  const needed = new Set(listOf(schema.required));
  const encoding = isRecord(mediaType?.encoding) ? mediaType.encoding : {};
  return Object.entries(schema.properties as JsonRecord).flatMap(([name, source]): BodyField[] => {
    const field = document.resolve(source);
    if (field?.readOnly === true || name === "__proto__") return [];
    const isFile = isBinary(field);
    const argument = names.choose(name, `body_${name}`);
    args.push({
      name: argument,
      schema: isFile ? { type: "string" } : source,
      required: needed.has(name),
      ...(isFile && { note: FILE_NOTE }),
    });
    const { style, explode } = document.resolve(encoding[name]) ?? {};
    return [
      {
        argument,
        name,
        isFile,
        ...(typeof style === "string" && { style: style as ParameterStyle }),
        ...(typeof explode === "boolean" && { explode }),
      },
    ];
  });
}

/** Built on first use: most of the thousand operations of a large document are never called. */
function lazySchema(document: OpenApiDocument, args: readonly Argument[]): Schema {
  let built: Schema | undefined;
  const get = () => {
    built ??= buildSchema(document, args);
    return built;
  };
  return {
    get jsonSchema() {
      return get().jsonSchema;
    },
    parse: (value) => get().parse(value),
  };
}

function buildSchema(document: OpenApiDocument, args: readonly Argument[]): Schema {
  const builder = new SchemaBuilder(document);
  const places = args.map(({ name, schema }) => [name, builder.add(schema)] as const);
  const definitions = builder.finish();
  const properties = places.map(([name, place], at) => {
    const note = args[at]?.note;
    return [name, note ? { ...place, description: short(note) } : place];
  });
  const required = args.filter((argument) => argument.required).map(({ name }) => name);
  const json: JsonSchema = {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
  };
  const schema = foreignSchema(json);
  // A schema that cannot be compiled still names the arguments; the service validates them.
  const fallback = schema.ok ? schema : foreignSchema({ type: "object" });
  return fallback.ok ? fallback.value : { jsonSchema: { type: "object" }, parse: (value) => ok(value) };
}
