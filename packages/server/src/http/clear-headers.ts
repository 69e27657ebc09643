/**
 * Refuses headers that would be read only partly or ignored: a single-value header sent twice, a method override, an encoded
 * body, a condition or a key without effect. Clients of the agent protocols may send the last two, which have no meaning there.
 */
import { type Failure, fail } from "@capstan/core";
import type { Context, MiddlewareHandler } from "hono";
import { problem } from "./problem.ts";

/** Depending on the name, Node keeps the first or joins them: either way the server would act on something the client did not say. */
const ONCE = new Set([
  "authorization",
  "content-encoding",
  "content-type",
  "host",
  "idempotency-key",
  "last-event-id",
  "origin",
]);
const OVERRIDES = ["x-http-method-override", "x-http-method", "x-method-override"];
const CONDITIONS = ["if-match", "if-none-match", "if-unmodified-since"];
const READS = ["GET", "HEAD", "OPTIONS"];
const IDEMPOTENCY_KEY = "idempotency-key";

export const refuseUnclearHeaders: MiddlewareHandler = async (c, next) => {
  const fault = unclear(c);
  return fault ? problem(c, fault) : next();
};

function unclear(c: Context): Failure | undefined {
  const repeated = repeatedIn(rawHeaders(c));
  if (repeated !== undefined)
    return fail("header_refused", { name: repeated, why: "is given twice" }).failure;
  const override = firstSent(c, OVERRIDES);
  if (override !== undefined)
    return fail("header_refused", {
      name: override,
      why: "is not supported: the method is the request's own",
    }).failure;
  const condition =
    isOurs(c.req.path) && !READS.includes(c.req.method) ? firstSent(c, CONDITIONS) : undefined;
  if (condition !== undefined)
    return fail("header_refused", {
      name: condition,
      why: "would make this write conditional, which is not supported",
      nextStep: `Leave out "${condition}". Where an object has updated_at, PATCH it with the one you read: a change to an outdated object is refused with 409.`,
    }).failure;
  const given = codingOf(c);
  return given === undefined ? undefined : fail("coding_unsupported", { given }).failure;
}

/**
 * For routes that do not store answers by key: a client that sends one would repeat a POST and expect it to happen once.
 * The other methods have the same effect however often they are sent.
 */
export const refuseKey: MiddlewareHandler = async (c, next) => {
  if (c.req.method !== "POST" || c.req.header(IDEMPOTENCY_KEY) === undefined) return next();
  const why = "has no effect on this route";
  const nextStep = `Leave it out: only POST /api/execute-task works once for each key. Before you repeat this request, look whether the first one arrived.`;
  return problem(c, fail("header_refused", { name: IDEMPOTENCY_KEY, why, nextStep }).failure);
};

/** The agent protocols are defined by others, and so are their clients' headers. */
const isOurs = (path: string): boolean => /^\/(v1|api)\//.test(path) && !AGENT_PROTOCOL.test(path);
const AGENT_PROTOCOL = /^\/v1\/agents\/[^/]+\/(ag-ui|a2a|ai-sdk)(\/|$)/;

const firstSent = (c: Context, names: readonly string[]): string | undefined =>
  names.find((name) => c.req.header(name) !== undefined);

function repeatedIn(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const name of names) {
    if (ONCE.has(name) && seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** Names as they were sent; empty for a request that came from no socket. */
function rawHeaders({ env }: Context): string[] {
  const { incoming } = (env ?? {}) as { incoming?: { rawHeaders?: readonly string[] } };
  return (incoming?.rawHeaders ?? []).filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
}

function codingOf(c: Context): string | undefined {
  const encoding = c.req.header("content-encoding");
  if (encoding !== undefined && !/^(identity)?$/i.test(encoding)) return `content-encoding: ${encoding}`;
  const charset = /;\s*charset="?([^";\s]+)/i.exec(c.req.header("content-type") ?? "")?.[1];
  return charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset) ? undefined : `charset=${charset}`;
}
