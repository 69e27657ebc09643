/**
 * From a tool's input to one HTTP request. Pure: files and secrets come in as functions.
 *
 * A request can only go to the declared server: arguments are encoded, `.` and `..` are not path segments, and
 * the finished URL is compared with the declared origin before it is used.
 */
import { fail, ok, type Result } from "@capstan/core";
import { encodeBody, type HttpBody } from "./http-body.ts";
import { type HttpParameter, headerText, type Pair, pathText, queryPairs } from "./http-parameters.ts";
import { fillSecrets, type SecretLookup } from "./secrets.ts";

/** One way to authenticate: all its headers and query values together. They may contain `${NAME}`. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

export type HttpMethod = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";

export interface HttpOperation {
  readonly method: HttpMethod;
  /** Such as https://api.example.com/v1; `{name}` is filled from the capability's config. */
  readonly server: string;
  readonly path: string;
  readonly parameters: readonly HttpParameter[];
  /** Fixed; may contain `${NAME}`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Ways to authenticate; the first whose secrets are all set is used, an empty one needs none. */
  readonly credentials?: readonly Credentials[];
  readonly body?: HttpBody;
  /** Its API says where it takes an Idempotency-Key, and that is elsewhere. */
  readonly withoutKey?: boolean;
}

export interface RequestSources {
  readonly secret: SecretLookup;
  /** Values for `{name}` in the server's address. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly readFile: (path: string) => Promise<Result<Uint8Array>>;
}

export interface HttpRequest {
  readonly url: string;
  readonly method: HttpMethod;
  readonly headers: Record<string, string>;
  readonly body?: string | Uint8Array;
}

type Input = Readonly<Record<string, unknown>>;

export async function buildRequest(
  operation: HttpOperation,
  input: Input,
  sources: RequestSources,
): Promise<Result<HttpRequest>> {
  const fixed = fixedValues(operation, sources.secret);
  if (!fixed.ok) return fixed;
  const url = requestUrl(operation, input, sources.config, fixed.value.query);
  if (!url.ok) return url;
  const headers = requestHeaders(operation, input, fixed.value.headers);
  if (!headers.ok) return headers;
  const { method } = operation;
  if (!operation.body) return ok({ url: url.value, method, headers: headers.value });
  const body = await encodeBody(operation.body, input, sources.readFile);
  if (!body.ok) return body;
  if (!body.value) return ok({ url: url.value, method, headers: headers.value });
  const { content, contentType } = body.value;
  return ok({
    url: url.value,
    method,
    headers: { ...headers.value, "content-type": contentType },
    body: content,
  });
}

function fixedValues(operation: HttpOperation, secret: SecretLookup): Result<Credentials> {
  const headers = fillSecrets(operation.headers, secret);
  if (!headers.ok) return headers;
  const query = fillSecrets(operation.query, secret);
  if (!query.ok) return query;
  const chosen = chooseCredentials(operation.credentials ?? [], secret);
  if (!chosen.ok) return chosen;
  return ok({
    headers: { ...headers.value, ...chosen.value.headers },
    query: { ...query.value, ...chosen.value.query },
  });
}

function chooseCredentials(alternatives: readonly Credentials[], secret: SecretLookup): Result<Credentials> {
  let refused: Result<Credentials> | undefined;
  let isOptional = alternatives.length === 0;
  for (const { headers, query } of alternatives) {
    if (Object.keys(headers).length + Object.keys(query).length === 0) {
      isOptional = true;
      continue;
    }
    const filled = fillSecrets({ ...prefixed("h", headers), ...prefixed("q", query) }, secret);
    if (filled.ok)
      return ok({ headers: unprefixed("h", filled.value), query: unprefixed("q", filled.value) });
    refused ??= filled;
  }
  return isOptional ? ok({ headers: {}, query: {} }) : (refused ?? ok({ headers: {}, query: {} }));
}

const prefixed = (prefix: string, values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix} ${name}`, value]));
const unprefixed = (prefix: string, values: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      name.startsWith(`${prefix} `) ? [[name.slice(prefix.length + 1), value]] : [],
    ),
  );

function requestUrl(
  operation: HttpOperation,
  input: Input,
  config: RequestSources["config"],
  fixed: Readonly<Record<string, string>>,
): Result<string> {
  const server = serverUrl(operation.server, config);
  if (!server.ok) return server;
  const path = requestPath(operation, input);
  if (!path.ok) return path;
  const pairs: Pair[] = [...Object.entries(fixed)];
  for (const parameter of given(operation, input, "query")) {
    pairs.push(...queryPairs(parameter, input[parameter.argument]));
  }
  const query = pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
  const base = server.value.href.replace(/\/$/, "");
  const separator = base.includes("?") || path.value.includes("?") ? "&" : "?";
  const url = URL.parse(`${base}${path.value}${query === "" ? "" : `${separator}${query}`}`);
  if (url?.origin !== server.value.origin) return fail("url_invalid", { url: operation.path });
  return ok(url.href);
}

const SERVER_VALUE = /^[A-Za-z0-9._~-]{1,253}$/; // a host label, a version, a tenant; nothing that ends the host

/** The declared server with its variables filled in. Userinfo would hide the real host, so it is refused. */
export function serverUrl(template: string, config: Readonly<Record<string, unknown>>): Result<URL> {
  let missing: string | undefined;
  const whole = /^\{([^{}]+)\}$/.exec(template)?.[1];
  const text = template.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = config[name];
    if (typeof value === "string" && (whole !== undefined || SERVER_VALUE.test(value))) return value;
    missing ??= name;
    return "";
  });
  if (missing !== undefined) return fail("server_value_missing", { name: missing });
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.hash) {
    return fail("url_invalid", { url: template });
  }
  return ok(url);
}

function requestPath(operation: HttpOperation, input: Input): Result<string> {
  let path = operation.path;
  for (const parameter of operation.parameters.filter((candidate) => candidate.in === "path")) {
    const value = input[parameter.argument];
    const text = value === undefined ? "" : pathText(parameter, value);
    if (/^\.{0,2}$/.test(text)) {
      return fail("input_invalid", { where: `${parameter.argument} must be neither empty nor dots` });
    }
    path = path.replaceAll(`{${parameter.name}}`, () => text);
  }
  return path.startsWith("/") || path === "" ? ok(path) : ok(`/${path}`);
}

function requestHeaders(
  operation: HttpOperation,
  input: Input,
  fixed: Readonly<Record<string, string>>,
): Result<Record<string, string>> {
  const headers: Record<string, string> = { accept: "application/json, */*;q=0.5" };
  for (const [name, value] of Object.entries(fixed)) headers[name.toLowerCase()] = value;
  for (const parameter of given(operation, input, "header")) {
    headers[parameter.name.toLowerCase()] = headerText(parameter, input[parameter.argument]);
  }
  const cookies = given(operation, input, "cookie").map(
    (parameter) =>
      `${parameter.name}=${encodeURIComponent(headerText(parameter, input[parameter.argument]))}`,
  );
  if (cookies.length > 0) headers.cookie = [headers.cookie, ...cookies].filter(Boolean).join("; ");
  const bad = Object.entries(headers).find(([, value]) => /[\r\n\0]/.test(value));
  return bad
    ? fail("input_invalid", { where: `the header ${bad[0]} must not contain line breaks` })
    : ok(headers);
}

function given(operation: HttpOperation, input: Input, place: HttpParameter["in"]): HttpParameter[] {
  return operation.parameters.filter(
    (parameter) => parameter.in === place && input[parameter.argument] !== undefined,
  );
}
