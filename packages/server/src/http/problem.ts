/**
 * Every error of the API has one shape: an RFC 9457 problem with our `code`, `message` and `nextStep`. OpenAI's clients read only
 * OpenAI's shape, so below /openai every error has that one, from the guards in front of the routes too.
 */
import type { Failure } from "@capstan/core";
import type { Context } from "hono";
import { openAiError } from "./openai-error.ts";

/** Typed `never`, so that any handler may return it: hono requires each response's literal type, and this is every route's default. */
export const problem = (c: Context, failure: Failure, headers: Record<string, string> = {}): never =>
  OPENAI.test(c.req.path)
    ? (c.json(openAiError(failure), openAiStatus(failure), headers) as never)
    : respond(c, { ...failure, status: statusOf(c, failure) }, headers);

const OPENAI = /^\/openai(\/|$)/;
const openAiStatus = ({ status }: Failure) => (status === 422 ? 400 : status) as 400;

const respond = (c: Context, failure: Failure, headers: Record<string, string>): never =>
  c.body(bodyOf(failure), failure.status as 400, { ...TYPE, ...headers }) as never;

/** A missing thing named in the path is 404. Named in a body, it is a fault of the body: 422. */
function statusOf({ req }: Context, { code, status, message }: Failure): number {
  if (!UNKNOWN.includes(code) || !BODY_METHODS.includes(req.method) || PROTOCOL.test(req.path)) return status;
  const named = [...message.matchAll(/["']([^"']+)["']/g)].map(([, name = ""]) => name);
  const path = `${decoded(req.path)}/`;
  const isOfPath =
    named.length === 0 ||
    named.some((name) => path.includes(`/${name.replace(/^\//, "")}/`) || `${name}/`.endsWith(path));
  return isOfPath ? status : 422;
}

const UNKNOWN = ["not_found", "coding_agent_unknown"];
/** Their clients find threads and tasks by ids in bodies. */
const PROTOCOL = /\/(ag-ui|a2a|ai-sdk|mcp)$/;
const BODY_METHODS = ["POST", "PUT", "PATCH"];

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

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
