/** Every error of the API has one shape: an RFC 9457 problem with our `code`, `message` and `nextStep`. */
import type { Failure } from "@capstan/core";
import type { Context } from "hono";

/** Typed `never`, so that any handler may return it: hono requires each response's literal type, and this is every route's default. */
export function problem(c: Context, failure: Failure, headers: Record<string, string> = {}): never {
  const { code, status, message, nextStep, details } = failure;
  const body = {
    type: `urn:capstan:problem:${code}`,
    title: code.replaceAll("_", " "),
    status,
    detail: message,
    code,
    message,
    nextStep,
    ...(details !== undefined && { details }),
  };
  const type = { "content-type": "application/problem+json", ...headers };
  return c.body(JSON.stringify(body), status as 400, type) as never;
}
