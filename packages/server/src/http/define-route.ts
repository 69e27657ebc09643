/**
 * Shared by our route definitions: the required right, the bodies, and one response to invalid input. A query, path or
 * body that does not match its schema is refused before the handler runs, with all faults at once; nothing is ignored.
 */
import { type Failure, fail } from "@capstan/core";
import {
  type Action,
  type Fault,
  faultsText,
  includesRight,
  readInput,
  rightFor,
  type Thing,
} from "@capstan/core/internal";
import { OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import type { Caller } from "./caller.ts";
import { refuseKey } from "./clear-headers.ts";
import { problem } from "./problem.ts";

export interface AppEnv {
  Variables: { caller: Caller };
}

/** Passes requests whose caller may do this, by core's authority table. */
export function requireRight(thing: Thing, action: Action): MiddlewareHandler<AppEnv> {
  const right = rightFor(thing, action);
  return async (c, next) => {
    const { rights } = c.get("caller");
    if (right !== undefined && includesRight(rights, right)) return next();
    const message = `This key has the right ${rights.join(", ") || "to nothing"}, but "${right}" is required.`;
    return problem(
      c,
      fail("forbidden", { message, nextStep: "Use a key with that right; an admin can create one." }).failure,
    );
  };
}

/** The start of every route definition: which action on which kind of thing, for the check and for the OpenAPI document. */
export const needs = (thing: Thing, action: Action, ...behind: MiddlewareHandler<AppEnv>[]) => ({
  ...authority(thing, action),
  middleware: [requireRight(thing, action), ...behind],
});

/** For the OpenAPI document only, where a route is not made by `createRoute`. */
export const authority = (thing: Thing, action: Action) => ({
  "x-capstan-right": rightFor(thing, action),
  "x-capstan-authority": `${action} ${thing}`,
});

/** A route without query parameters accepts none. */
const NoQuery = z.strictObject({});
/** A route without a body accepts none, or an empty object. */
const NoBody = z.strictObject({});

/** A part of the API. `tag`: the heading under which the OpenAPI document lists its routes. */
export function newRoutes(tag?: string): OpenAPIHono<AppEnv> {
  const routes = new OpenAPIHono<AppEnv>();
  const define = routes.openapi;
  routes.openapi = ((route: RouteConfig & { middleware?: MiddlewareHandler[] }, handler: never) => {
    const request = { query: NoQuery, ...route.request };
    const middleware = [
      ...(route.middleware ?? []),
      ...(takesKey(request) ? [] : [refuseKey]),
      ...(request.body ? [] : [refuseBody]),
    ];
    const tagged = { ...(tag !== undefined && { tags: [tag] }), ...route };
    return define({ ...tagged, request, middleware }, handler, (result, c) =>
      result.success ? undefined : refuseInput(c, request, route.path),
    );
  }) as typeof define;
  return routes;
}

const takesKey = ({ headers }: NonNullable<RouteConfig["request"]>): boolean =>
  headers instanceof z.ZodObject && "idempotency-key" in headers.shape;

/** Everything that is wrong with a request, as one problem. */
async function refuseInput(
  c: Context,
  request: NonNullable<RouteConfig["request"]>,
  path: string,
): Promise<Response> {
  const [misnamed] = faultsIn(request.params, c.req.param());
  // Only PUT creates what its path names; for every other method an invalid id is reported as not found.
  if (misnamed && c.req.method !== "PUT")
    return problem(c, notThere(path, misnamed.path, c.req.param(misnamed.path)));
  const content = request.body?.content["application/json"];
  const schema = content && "schema" in content ? content.schema : undefined;
  const faults = [
    ...faultsIn(request.params, c.req.param(), "path"),
    ...faultsIn(request.query, queryOf(c), "query"),
    ...faultsIn(request.headers, c.req.header(), "header"),
    ...(isZod(schema) ? await bodyFaults(c, schema) : []),
  ];
  return problem(c, inputInvalid(faults));
}

/** `/v1/grants/{id}` names grants. */
function notThere(path: string, parameter: string, id = "") {
  const before = path.split(`/{${parameter}}`)[0]?.split("/").at(-1) ?? parameter;
  const what = before.replace(/ies$/, "y").replace(/s$/, "").replaceAll("-", " ");
  return fail("not_found", { what, id }).failure;
}

/** A body that is not JSON is reported together with faults of path and query. */
const bodyFaults = (c: Context, schema: z.ZodType): Promise<Fault[]> =>
  c.req.json().then(
    (value) => faultsIn(schema, value),
    () => [{ path: "body", message: "is not JSON" }],
  );

const inputInvalid = (faults: readonly Fault[]) =>
  fail("input_invalid", { where: faultsText(faults), issues: faults }).failure;

function faultsIn(schema: unknown, value: unknown, place = ""): Fault[] {
  if (!isZod(schema)) return [];
  const read = readInput(schema, value);
  if (read.ok) return [];
  return read.faults.map(({ path, message }) => ({
    path: [place, path].filter((part) => part !== "").join("."),
    message,
  }));
}

const isZod = (schema: unknown): schema is z.ZodType => schema instanceof z.ZodType;

/** A repeated parameter is a list, which none of our schemas accept: it is refused, not cut. */
const queryOf = (c: Context): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(c.req.queries()).map(([name, values]) => [
      name,
      values.length === 1 ? (values[0] ?? "") : values,
    ]),
  );

/** For routes whose path or response hono cannot describe: the parsed query, or the refusal. */
export function checkQuery(schema: z.ZodType = NoQuery): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const fault = queryFault(c, schema);
    return fault === undefined ? next() : problem(c, fault);
  };
}

/** The same for a protocol that answers in its own shape. */
export function queryFault(c: Context, schema: z.ZodType = NoQuery): Failure | undefined {
  const faults = faultsIn(schema, queryOf(c), "query");
  return faults.length === 0 ? undefined : inputInvalid(faults);
}

const refuseBody: MiddlewareHandler = async (c, next) => {
  const text = await c.req.text();
  if (text.trim() === "") return next();
  const faults = faultsIn(NoBody, parsedOr(text));
  return faults.length === 0 ? next() : problem(c, inputInvalid(faults));
};

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export const json = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  description,
  content: { "application/json": { schema } },
});

export const jsonBody = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true as const,
  content: { "application/json": { schema } },
});

/** For routes with a middleware of `yaml-body.ts`. The schema is checked as JSON; the OpenAPI document names both types. */
export const jsonOrYamlBody = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true as const,
  description: "JSON, or the document itself as YAML (application/yaml, text/plain).",
  content: { "application/json": { schema } },
});

export const Id = z.object({ id: z.string() });

/** One of our records as a response. Ours are read-only; a response is only serialized, so that does not matter. */
export const asWire = <T>(record: Readonlies<T>): T => record as T;

type Readonlies<T> = T extends readonly (infer Item)[]
  ? readonly Readonlies<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Readonlies<T[Key]> }
    : T;

/** Typed `never` like `problem`, for responses that are not JSON: hono cannot check those. */
export const answer = (response: Response): never => response as never;
