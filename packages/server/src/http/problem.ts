/** Every error of the API has one shape: an RFC 9457 problem with our `code`, `message` and `nextStep`. */
import type { Failure } from "@capstan/core";
import type { Context } from "hono";

/** Typed `never`, so that any handler may return it: hono requires each response's literal type, and this is every route's default. */
export const problem = (c: Context, failure: Failure, headers: Record<string, string> = {}): never =>
  c.body(bodyOf(failure), failure.status as 400, { ...TYPE, ...headers }) as never;

/** The same before any application has the request. */
export const problemResponse = (failure: Failure, headers: Record<string, string> = {}): Response =>
  new Response(bodyOf(failure), { status: failure.status, headers: { ...TYPE, ...headers } });

const TYPE = { "content-type": "application/problem+json" };

function bodyOf({ code, status, message, nextStep, details }: Failure): string {
  return JSON.stringify({
    type: `urn:capstan:problem:${code}`,
    title: code.replaceAll("_", " "),
    status,
    detail: message,
    code,
    message,
    nextStep,
    ...(details !== undefined && { details }),
  });
}
