/**
 * Routes that take a document also accept YAML: the body is converted to JSON before the route's schema checks it.
 * Command-line tools send `text/plain` for files of unknown type.
 */
import { fail, ok, type Result } from "@capstan/core";
import { parseYaml } from "@capstan/runtime";
import type { Context, MiddlewareHandler } from "hono";
import type { AppEnv } from "./define-route.ts";
import { problem } from "./problem.ts";

const YAML_TYPE = /^(?:application|text)\/(?:x-)?yaml\b|^application\/[\w.]+\+yaml\b|^text\/plain\b/i;

/** The document itself is the body. */
export const documentAsYaml = (): MiddlewareHandler<AppEnv> => yamlBody((text) => parseYaml(text));

/** The document is a package's file. Further options are in the query, which is only for non-JSON bodies. */
export const packageAsYaml = (): MiddlewareHandler<AppEnv> => {
  const asFile = yamlBody(fileOf);
  return async (c, next) => {
    const [unused] = isYaml(c)
      ? []
      : ["name", "yes", "sha256"].filter((key) => c.req.query(key) !== undefined);
    const where = `query.${unused}: is for a body in YAML; with JSON it stands in the body`;
    return unused === undefined ? asFile(c, next) : problem(c, fail("input_invalid", { where }).failure);
  };
};

const isYaml = (c: Context): boolean => YAML_TYPE.test(c.req.header("content-type") ?? "");

function fileOf(text: string, c: Context): Result<unknown> {
  const { name = "document.yaml", yes, sha256 } = c.req.query();
  if (!/\.ya?ml$/i.test(name)) return fail("input_invalid", { where: "query.name: must end in .yaml" });
  return ok({
    source: name,
    bytes: Buffer.from(text).toString("base64"),
    ...(yes !== undefined && { yes: yes === "true" }),
    ...(sha256 !== undefined && { sha256 }),
  });
}

function yamlBody(read: (text: string, c: Context) => Result<unknown>): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (!isYaml(c)) return next();
    const document = read(await c.req.text(), c);
    if (!document.ok) return problem(c, document.failure);
    const headers = new Headers(c.req.raw.headers);
    headers.set("content-type", "application/json");
    headers.delete("content-length");
    c.req.raw = new Request(c.req.raw, { body: JSON.stringify(document.value), headers });
    c.req.bodyCache = {};
    return next();
  };
}
